// A recursive function with a captured local that its second parallel loop reads behind the recursive call: each
// activation has its own.
#include "shape.h"

#pragma omp begin declare target
static int __attribute__((noinline)) walk(int *v, int n, int d) {
  if (d == 0)
    return 0;
  int k = v[d];
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    v[i] += k;
  int r = walk(v, n, d - 1);
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    v[i] -= k;
  return r + k;
}
#pragma omp end declare target

void f(int *a, int n) {
#pragma omp target map(tofrom : a[0 : n])
  a[0] += walk(a, n, 4);
}

int main(void) {
  int a[N];
  FILL(a);
  f(a, N);
  SHOW(a);
}
