// A generic kernel that reaches no parallel region at all.
#include "shape.h"

void f(int *a, int n) {
#pragma omp target map(tofrom : a[0 : n])
  {
    for (int i = 1; i < n; i++)
      a[i] += a[i - 1];
  }
}

int main(void) {
  int a[N];
  FILL(a);
  f(a, N);
  SHOW(a);
}
