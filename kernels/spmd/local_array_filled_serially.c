// A small local array is filled by the serial part and read by the parallel loop.
#include "shape.h"

void f(int *a, int n) {
#pragma omp target map(tofrom : a[0 : n])
  {
    int t[64];
    for (int i = 0; i < 64; i++)
      t[i] = i * a[i % n];
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      a[i] = t[i & 63];
  }
}

int main(void) {
  int a[N];
  FILL(a);
  f(a, N);
  SHOW(a);
}
