// A function with a parallel loop is called from the serial part and from inside another parallel loop.
#include "shape.h"

#pragma omp begin declare target
static void __attribute__((noinline)) scale(int *p, int n, int v) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    p[i] *= v;
}
#pragma omp end declare target
void f(int *a, int n) {
#pragma omp target map(tofrom : a[0 : n])
  {
    scale(a, n, 2);
#pragma omp parallel for
    for (int i = 0; i < n; i += 8)
      scale(a + i, 8, 3);
  }
}

int main(void) {
  int a[N];
  FILL(a);
  f(a, N);
  SHOW(a);
}
