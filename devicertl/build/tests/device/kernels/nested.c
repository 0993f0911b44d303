// A region in a region, a clause that may make it serial, and a number of threads known at run time.
#include <omp.h>
void nested(int n, int many, int threads, int *restrict a) {
#pragma omp target parallel num_threads(threads) if (parallel : many) map(tofrom : a[0 : n])
  {
    int me = omp_get_thread_num();
    a[me] += omp_get_num_threads();
#pragma omp parallel for
    for (int i = 0; i < n; ++i)
      a[i] += omp_get_level() + me;
#pragma omp barrier
    a[me] += omp_get_level();
  }
}
