// A loop whose chunks are dealt at run time.
void dynamic(int n, float *restrict a) {
#pragma omp target teams distribute parallel for schedule(dynamic, 4) map(tofrom : a[0 : n])
  for (int i = 0; i < n; ++i)
    a[i] += 1;
}
