// A region inside a distributed loop: generic, and openmp-opt converts it.
void inner_parallel(int n, int m, float *restrict a, const float *restrict b) {
#pragma omp target teams distribute map(tofrom : a[0 : n * m]) map(to : b[0 : n])
  for (int i = 0; i < n; ++i) {
    float scale = 2 * b[i];
#pragma omp parallel for
    for (int j = 0; j < m; ++j)
      a[i * m + j] += scale;
  }
}
