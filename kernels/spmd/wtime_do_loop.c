// A do loop around a parallel loop ends when omp_get_wtime has passed a time.
#include "shape.h"
#include <omp.h>

void f(int *a, int n, double lim) {
#pragma omp target map(tofrom : a[0 : n])
  {
    double end = omp_get_wtime() + lim;
    do {
#pragma omp parallel for
      for (int i = 1; i < n; i++)
        a[i] = i;
    } while (omp_get_wtime() < end);
  }
}

int main(void) {
  int a[N];
  FILL(a);
  f(a, N, 3e-3);
  SHOW(a);
}
