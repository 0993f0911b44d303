// The value that a serial atomic captures decides about a parallel loop: the atomic must be done once, by one thread.
#include "shape.h"

void f(int *a, int n) {
#pragma omp target map(tofrom : a[0 : n])
  for (int k = 0; k < 6; k++) {
    int old;
#pragma omp atomic capture
    old = a[0]++;
    if (old & 1) {
#pragma omp parallel for
      for (int i = 1; i < n; i++)
        a[i] += old;
    }
  }
}

int main(void) {
  int a[N];
  FILL(a);
  f(a, N);
  SHOW(a);
}
