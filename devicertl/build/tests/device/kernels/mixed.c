// Saxpy beside kernels that use dynamic loops, tasks and critical sections: it must not pay for them.
#include <omp.h>
void mixed(int n, float a, const float *restrict x, float *restrict y, int *restrict z) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : y[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] += a * x[i];
#pragma omp target teams distribute parallel for schedule(dynamic) map(tofrom : z[0 : n])
  for (int i = 0; i < n; ++i)
    z[i] += 1;
#pragma omp target parallel map(tofrom : z[0 : n])
  {
    int me = omp_get_thread_num();
#pragma omp task
    z[me] += me;
#pragma omp critical
    z[0] += me;
  }
}
