// One region of one team, SPMD from the start; the loop is the user's.
#include <omp.h>
void target_parallel(int n, int *restrict a, const int *restrict b) {
#pragma omp target parallel map(tofrom : a[0 : n]) map(to : b[0 : n])
  for (int i = omp_get_thread_num(); i < n; i += omp_get_num_threads())
    a[i] += b[i];
}
