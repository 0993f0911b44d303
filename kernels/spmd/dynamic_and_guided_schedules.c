// Two parallel loops with dynamic and guided schedules after a serial store.
#include "shape.h"

void f(double *a, int n) {
#pragma omp target map(tofrom : a[0 : n])
  {
    a[0] = 1;
#pragma omp parallel for schedule(dynamic, 4)
    for (int i = 1; i < n; i++)
      a[i] += i;
#pragma omp parallel for schedule(guided)
    for (int i = 1; i < n; i++)
      a[i] += i;
  }
}

int main(void) {
  double a[N];
  FILL(a);
  f(a, N);
  SHOW(a);
}
