// omp_alloc and omp_free in the serial part; the parallel loops use the memory.
#include "shape.h"
#include <omp.h>

void f(int *a, int n) {
#pragma omp target map(tofrom : a[0 : n])
  {
    int *t = omp_alloc(n * sizeof *t, omp_default_mem_alloc);
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      t[i] = a[n - 1 - i];
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      a[i] += t[i];
    omp_free(t, omp_default_mem_alloc);
  }
}

int main(void) {
  int a[N];
  FILL(a);
  f(a, N);
  SHOW(a);
}
