// A function with a parallel loop calls itself last, with arguments that serial code has just computed.
#include "shape.h"

#pragma omp begin declare target
static void __attribute__((noinline)) down(int *a, int from, int to, int by) {
  if (from >= to)
    return;
  int first = a[from];
#pragma omp parallel for
  for (int i = from; i < to; i++)
    a[i] += by + first;
  a[from] += 1;
  down(a, from + by, to - first % 2, by + a[from] % 2);
}
#pragma omp end declare target

void f(int *a, int n) {
#pragma omp target map(tofrom : a[0 : n])
  down(a, 0, n, 3);
}

int main(void) {
  int a[N];
  FILL(a);
  f(a, N);
  SHOW(a);
}
