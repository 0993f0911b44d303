// Three combined constructs that the front end already emits as SPMD kernels: nothing to convert.
#include "shape.h"

void f(int *a, int n) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n])
  for (int i = 0; i < n; i++)
    a[i] += i;
#pragma omp target parallel for map(tofrom : a[0 : n])
  for (int i = 0; i < n; i++)
    a[i] += i;
#pragma omp target teams loop map(tofrom : a[0 : n])
  for (int i = 0; i < n; i++)
    a[i] += i;
}

int main(void) {
  int a[N];
  FILL(a);
  f(a, N);
  SHOW(a);
}
