// A function pointer that can only be one of two local functions is called serially and in the parallel loop.
#include "shape.h"

#pragma omp begin declare target
static int add(int x) {
  return x + 1;
}
static int mul(int x) {
  return x * 2;
}
#pragma omp end declare target
void f(int *a, int n, int k) {
#pragma omp target map(tofrom : a[0 : n])
  {
    int (*fp)(int) = k ? add : mul;
    a[0] = fp(k);
#pragma omp parallel for
    for (int i = 1; i < n; i++)
      a[i] = fp(a[i]);
  }
}

int main(void) {
  for (int k = 0; k < 2; k++) {
    int a[N];
    FILL(a);
    f(a, N, k);
    SHOW(a);
  }
}
