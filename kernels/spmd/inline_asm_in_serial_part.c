// Volatile inline assembly in the serial part produces a value that the parallel loop uses.
#include "shape.h"

void f(long *a, int n) {
#pragma omp target map(tofrom : a[0 : n])
  {
    long t;
#ifdef __NVPTX__
    __asm__ volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
#else
    __asm__ volatile("rdtsc; shl $32, %%rdx; or %%rdx, %0" : "=a"(t) : : "rdx");
#endif
    a[0] = t;
#pragma omp parallel for
    for (int i = 1; i < n; i++)
      a[i] += t;
  }
}

int main(void) {
  long a[N];
  FILL(a);
  f(a, N);
  for (int i = 1; i < N; i++)
    a[i] -= a[0];
  SHOW_RANGE(a, 1, N);
}
