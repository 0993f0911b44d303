// A memmove over itself in the serial part: done twice, it moves too far.
#include "shape.h"
#include <string.h>

void f(int *a, int n) {
#pragma omp target map(tofrom : a[0 : n])
  {
    memmove(a, a + 1, (n - 1) * sizeof *a);
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      a[i] *= 2;
  }
}

int main(void) {
  int a[N];
  FILL(a);
  f(a, N);
  SHOW(a);
}
