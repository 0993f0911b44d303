// An explicit barrier and a flush at level 0, where they concern one thread only.
#include "shape.h"

void f(int *a, int n) {
#pragma omp target map(tofrom : a[0 : n])
  {
    a[0] = 1;
#pragma omp barrier
#pragma omp flush
#pragma omp parallel for
    for (int i = 1; i < n; i++)
      a[i] += 1;
  }
}

int main(void) {
  int a[N];
  FILL(a);
  f(a, N);
  SHOW(a);
}
