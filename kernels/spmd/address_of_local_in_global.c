// The address of a serial local is stored in a device global and dereferenced by the parallel loop.
#include "shape.h"

#pragma omp begin declare target
int *gp;
#pragma omp end declare target
void f(int *a, int n) {
#pragma omp target map(tofrom : a[0 : n])
  {
    int x = a[0];
    gp = &x;
#pragma omp parallel for
    for (int i = 1; i < n; i++)
      a[i] += *gp;
    a[0] = x;
  }
}

int main(void) {
  int a[N];
  FILL(a);
  f(a, N);
  SHOW(a);
}
