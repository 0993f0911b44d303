// Two kernels share a function with a parallel region; the second kernel also calls an unknown function.
#include "shape.h"

#pragma omp begin declare target
static void __attribute__((noinline)) step(int *a, int n, int k) {
  a[0] = k;
#pragma omp parallel for
  for (int i = 1; i < n; i++)
    a[i] += a[0];
}
extern void opaque(void);
#pragma omp end declare target
void f(int *a, int n) {
#pragma omp target map(tofrom : a[0 : n])
  {
    step(a, n, 1);
    step(a, n, 2);
  }
#pragma omp target map(tofrom : a[0 : n])
  {
    step(a, n, 3);
    opaque();
  }
}

int main(void) {
  int a[N];
  FILL(a);
  f(a, N);
  SHOW(a);
}
