// Second translation unit of callee_in_other_tu.c: holds the serial store and the parallel loop.
#pragma omp begin declare target
void work(int *a, int n) {
  a[2] = 5;
#pragma omp parallel for
  for (int i = 3; i < n; i++)
    a[i] += a[2];
}
#pragma omp end declare target
