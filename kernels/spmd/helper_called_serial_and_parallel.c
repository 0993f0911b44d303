// One helper that stores through a pointer is called from the serial part and from the parallel loop.
#include "shape.h"

#pragma omp begin declare target
static void __attribute__((noinline)) put(int *p, int v) {
  *p = v;
}
#pragma omp end declare target
void f(int *a, int n) {
#pragma omp target map(tofrom : a[0 : n])
  {
    put(a, 1);
#pragma omp parallel for
    for (int i = 1; i < n; i++)
      put(a + i, i + a[0]);
    put(a + 1, 5);
  }
}

int main(void) {
  int a[N];
  FILL(a);
  f(a, N);
  SHOW(a);
}
