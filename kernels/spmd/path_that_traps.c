// Paths that end in a trap, and one that never ends, beside those with parallel loops; none of them is taken.
#include "shape.h"

void f(int *a, int n, volatile int *never) {
#pragma omp target map(tofrom : a[0 : n], never[0 : 1])
  {
    if (*never)
      __builtin_trap();
#pragma omp parallel for
    for (int i = 1; i < n; i++)
      a[i] += a[0];
    if (a[1] == -1)
      for (;;)
        ++*never;
    a[0] = 0;
#pragma omp parallel for
    for (int i = 1; i < n; i++)
      a[i] *= 2;
  }
}

int main(void) {
  int a[N], never = 0;
  FILL(a);
  f(a, N, &never);
  SHOW(a);
}
