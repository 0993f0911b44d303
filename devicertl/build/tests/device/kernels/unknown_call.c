// A function of another file keeps the kernel generic; one of its regions reduces.
#pragma omp begin declare target
extern void elsewhere(int *);
#pragma omp end declare target
void unknown_call(int n, float *restrict a) {
#pragma omp target map(tofrom : a[0 : n])
  {
    int x = 1;
    elsewhere(&x);
#pragma omp parallel for
    for (int i = 0; i < n; ++i)
      a[i] += x;
    elsewhere(&x);
#pragma omp parallel for reduction(+ : x)
    for (int i = 0; i < n; ++i)
      x += (int)a[i];
    a[0] = x;
  }
}
