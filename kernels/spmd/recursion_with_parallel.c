// A recursive function has a captured local that stays live across the recursive call, and a parallel loop on both
// sides of it.
#include "shape.h"

#pragma omp begin declare target
static int __attribute__((noinline)) rec(int *a, int n, int d) {
  if (d == 0)
    return 0;
  int loc = a[d];
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    a[i] += loc;
  int r = rec(a, n, d - 1);
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    a[i] += loc + r;
  return r + loc;
}
#pragma omp end declare target
void f(int *a, int n) {
#pragma omp target map(tofrom : a[0 : n])
  {
    a[0] = rec(a, n, n > 5 ? 5 : n);
  }
}

int main(void) {
  int a[N];
  for (int i = 0; i < N; i++)
    a[i] = i + 1;
  f(a, N);
  SHOW(a);
}
