// A serial iteration loop with two parallel loops per iteration and serial loads and stores between them.
#include "shape.h"

void f(double *a, double *b, int n, int it) {
#pragma omp target map(tofrom : a[0 : n], b[0 : n])
  {
    for (int k = 0; k < it; k++) {
      double c = a[0] * 0.5;
#pragma omp parallel for
      for (int i = 1; i < n - 1; i++)
        b[i] = c + 0.5 * (a[i - 1] + a[i + 1]);
#pragma omp parallel for
      for (int i = 1; i < n - 1; i++)
        a[i] = b[i];
      a[0] = b[1];
    }
  }
}

int main(void) {
  double a[N], b[N];
  FILL(a);
  FILL(b);
  f(a, b, N, 5);
  SHOW(a);
  SHOW(b);
}
