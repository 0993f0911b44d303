// memcpy and memset in the serial part: the two calls must happen once and in order.
#include "shape.h"
#include <string.h>

void f(double *a, double *b, int n) {
#pragma omp target map(tofrom : a[0 : n], b[0 : n])
  {
    memcpy(a, b, n * sizeof(double));
    memset(b, 0, n * 8);
#pragma omp parallel for
    for (int i = 1; i < n; i++)
      a[i] += b[i];
  }
}

int main(void) {
  double a[N], b[N];
  FILL(b);
  f(a, b, N);
  SHOW(a);
  SHOW(b);
}
