// Tasks are created by a single construct inside a parallel region; serial stores before and after.
#include "shape.h"

void f(int *a, int n) {
#pragma omp target map(tofrom : a[0 : n])
  {
    a[0] = 1;
#pragma omp parallel
    {
#pragma omp single
      for (int i = 0; i < n; i++) {
#pragma omp task firstprivate(i)
        a[i] += i;
      }
    }
    a[1] = 2;
  }
}

int main(void) {
  int a[N];
  FILL(a);
  f(a, N);
  SHOW(a);
}
