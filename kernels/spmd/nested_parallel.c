// A parallel loop contains another parallel loop (nested parallelism).
#include "shape.h"

void f(int *a, int n) {
#pragma omp target map(tofrom : a[0 : n * n])
  {
    a[0] = 1;
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
#pragma omp parallel for
      for (int j = 0; j < n; j++)
        a[i * n + j] += i;
    }
  }
}

int main(void) {
  enum { ROWS = 9 };
  int a[ROWS * ROWS];
  FILL(a);
  f(a, ROWS);
  SHOW(a);
}
