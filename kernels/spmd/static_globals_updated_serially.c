// The serial part updates static device globals through a helper; the parallel loop reads them.
#include "shape.h"

#pragma omp begin declare target
static int counter;
static int table[64];
static int __attribute__((noinline)) next(void) {
  return ++counter;
}
#pragma omp end declare target
void f(int *a, int n) {
#pragma omp target map(tofrom : a[0 : n])
  {
    int k = next();
    table[k & 63] = k;
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      a[i] += table[i & 63] + k;
    k = next();
    a[0] = k;
  }
}

int main(void) {
  int a[N];
  FILL(a);
  f(a, N);
  SHOW(a);
}
