// new[] and delete[] in the serial part around two parallel loops that use the memory.
#include "shape.h"

void f(double *a, int n) {
#pragma omp target map(tofrom : a[0 : n])
  {
    double *t = new double[n];
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      t[i] = a[i];
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      a[i] = t[n - 1 - i];
    delete[] t;
  }
}

int main() {
  double a[N];
  FILL(a);
  f(a, N);
  SHOW(a);
}
