// The call of an unknown function keeps the kernel generic, with a worker loop that openmp-opt writes.
#include <omp.h>
#pragma omp begin declare target
__attribute__((noinline)) void pin(int *p) { __asm__ volatile("" ::"r"(p) : "memory"); }
#pragma omp end declare target
void stays_generic(int n, float *restrict a) {
#pragma omp target map(tofrom : a[0 : n])
  {
    int x = 1;
    pin(&x);
#pragma omp parallel for
    for (int i = 0; i < n; ++i)
      a[i] += x;
    pin(&x);
#pragma omp parallel num_threads(40)
    a[omp_get_thread_num()] += omp_get_num_threads();
  }
}
