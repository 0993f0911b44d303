// One parallel region holds master, barrier, single and a worksharing loop; the serial part uses the result.
#include "shape.h"

void f(int *a, int n) {
#pragma omp target map(tofrom : a[0 : n])
  {
    a[0] = 1;
#pragma omp parallel
    {
#pragma omp master
      a[1] = 2;
#pragma omp barrier
#pragma omp single
      a[2] = a[1] + 1;
#pragma omp for
      for (int i = 3; i < n; i++)
        a[i] += a[2];
    }
    a[0] += a[2];
  }
}

int main(void) {
  int a[N];
  FILL(a);
  f(a, N);
  SHOW(a);
}
