// Generic; openmp-opt converts it to SPMD.
#include <omp.h>
void serial_parallel(int n, int *restrict a, int *restrict b) {
#pragma omp target map(tofrom : a[0 : n], b[0 : n])
  {
    int sum = 0;
    for (int i = 0; i < n; ++i)
      sum += a[i];
    b[0] = sum;
#pragma omp parallel
    for (int i = omp_get_thread_num(); i < n; i += omp_get_num_threads())
      a[i] += sum;
    int largest = 0;
    for (int i = 0; i < n; ++i)
      largest = a[i] > largest ? a[i] : largest;
#pragma omp parallel
    for (int i = omp_get_thread_num(); i < n; i += omp_get_num_threads())
      b[i] = a[i] - largest;
  }
}
