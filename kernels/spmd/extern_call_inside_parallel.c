// An unknown function is called only inside the parallel loop; serial stores before and after.
#include "shape.h"

#pragma omp begin declare target
extern double ext_double(double);
#pragma omp end declare target
void f(double *a, int n) {
#pragma omp target map(tofrom : a[0 : n])
  {
    a[0] = 1;
#pragma omp parallel for
    for (int i = 1; i < n; i++)
      a[i] = ext_double(a[i]);
    a[0] = 2;
  }
}

int main(void) {
  double a[N];
  FILL(a);
  f(a, N);
  SHOW(a);
}
