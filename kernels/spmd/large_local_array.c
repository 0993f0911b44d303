// A 64 KiB local array of the serial part is read in the parallel loop: too big for static shared memory.
#include "shape.h"

void f(double *a, int n) {
#pragma omp target map(tofrom : a[0 : n])
  {
    double t[8192];
    for (int i = 0; i < 8192; i++)
      t[i] = a[i % n];
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      a[i] = t[i & 8191];
  }
}

int main(void) {
  double a[N];
  FILL(a);
  f(a, N);
  SHOW(a);
}
