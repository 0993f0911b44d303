// printf is called in the serial part before and after the parallel loop.
#include "shape.h"

void f(int *a, int n) {
#pragma omp target map(tofrom : a[0 : n])
  {
    printf("start %d\n", n);
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      a[i] += i;
    printf("end %d\n", a[0]);
  }
}

int main(void) {
  int a[N];
  FILL(a);
  f(a, N);
  SHOW(a);
}
