// The serial part calls through a table of function pointers defined in another translation unit.
#include "shape.h"

#pragma omp begin declare target
typedef int (*FP)(int);
extern FP tab[4];
#pragma omp end declare target
void f(int *a, int n, int k) {
#pragma omp target map(tofrom : a[0 : n])
  {
    a[0] = tab[k](n);
#pragma omp parallel for
    for (int i = 1; i < n; i++)
      a[i] += a[0];
  }
}

int main(void) {
  for (int k = 0; k < 4; k++) {
    int a[N];
    FILL(a);
    f(a, N, k);
    SHOW(a);
  }
}
