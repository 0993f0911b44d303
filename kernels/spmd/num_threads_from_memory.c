// The number of threads of a region in a loop comes from memory that serial code changes.
#include "shape.h"
#include <omp.h>

void f(int *a, int n) {
#pragma omp target map(tofrom : a[0 : n])
  for (int k = 0; k < 5; k++) {
    int wrong = 0;
#pragma omp parallel num_threads(a[k] + 1)
    {
      if (omp_get_num_threads() > a[k] + 1)
#pragma omp atomic
        wrong++;
#pragma omp for
      for (int i = 8; i < n; i++)
        a[i] += a[k];
    }
    a[k + 1] += wrong + a[k] % 2;
  }
}

int main(void) {
  int a[N];
  FILL(a);
  f(a, N);
  SHOW(a);
}
