// Two functions call each other; one has a parallel loop, the other serial stores.
#include "shape.h"

#pragma omp begin declare target
static int odd(int *a, int n, int d);
static int __attribute__((noinline)) even(int *a, int n, int d) {
  if (d == 0)
    return 1;
  a[d] += 1;
  return odd(a, n, d - 1) + a[d];
}
static int __attribute__((noinline)) odd(int *a, int n, int d) {
  if (d == 0)
    return 2;
  int add = a[d];
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    a[i] += add + d;
  int rest = even(a, n, d - 1);
  return rest + add;
}
#pragma omp end declare target

void f(int *a, int n) {
#pragma omp target map(tofrom : a[0 : n])
  {
    int got = even(a, n, 5);
    a[0] = got + odd(a, n, 4);
  }
}

int main(void) {
  int a[N];
  FILL(a);
  f(a, N);
  SHOW(a);
}
