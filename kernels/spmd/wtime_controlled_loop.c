// omp_get_wtime decides how often a loop with a parallel region runs.
#include "shape.h"
#include <omp.h>

void f(int *a, int n, double lim) {
#pragma omp target map(tofrom : a[0 : n])
  {
    double t0 = omp_get_wtime();
    int k = 0;
    while (omp_get_wtime() - t0 < lim) {
#pragma omp parallel for
      for (int i = 0; i < n; i++)
        a[i] += k;
      k++;
    }
  }
}

int main(void) {
  int a[N] = {0};
  f(a, N, 3e-3);
  printf("other than the first: %d\n", OTHERS(a, 0, N, a[0]));
}
