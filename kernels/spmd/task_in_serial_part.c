// A task and a taskwait stand in the serial part, before the parallel loop.
#include "shape.h"

void f(int *a, int n) {
#pragma omp target map(tofrom : a[0 : n])
  {
#pragma omp task shared(a)
    a[0] = 1;
#pragma omp taskwait
#pragma omp parallel for
    for (int i = 1; i < n; i++)
      a[i] += i;
  }
}

int main(void) {
  int a[N];
  FILL(a);
  f(a, N);
  SHOW(a);
}
