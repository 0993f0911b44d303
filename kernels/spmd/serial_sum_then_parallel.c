// A serial loop computes a scalar; one parallel loop uses it.
#include "shape.h"

void f(int *a, int n) {
#pragma omp target map(tofrom : a[0 : n])
  {
    int s = 0;
    for (int i = 0; i < n; i++)
      s += a[i];
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      a[i] = s + i;
  }
}

int main(void) {
  int a[N];
  FILL(a);
  f(a, N);
  SHOW(a);
}
