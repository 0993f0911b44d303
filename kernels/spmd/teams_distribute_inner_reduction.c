// target teams distribute with an inner parallel loop that reduces into a serial local.
#include "shape.h"

void f(double *a, double *b, int n, int m) {
#pragma omp target teams distribute map(tofrom : a[0 : n * m], b[0 : n])
  for (int i = 0; i < n; i++) {
    double s = 0;
#pragma omp parallel for reduction(+ : s)
    for (int j = 0; j < m; j++)
      s += a[i * m + j];
    b[i] = s;
  }
}

int main(void) {
  double a[N * N], b[N];
  FILL(a);
  f(a, b, N, N);
  SHOW(b);
}
