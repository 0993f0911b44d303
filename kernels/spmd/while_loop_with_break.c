// A while loop on memory that serial code changes, with a parallel loop inside and an early break.
#include "shape.h"

void f(int *a, int n) {
#pragma omp target map(tofrom : a[0 : n])
  {
    int k = 0;
    while (a[0] > 0) {
#pragma omp parallel for
      for (int i = 1; i < n; i++)
        a[i] -= 1;
      a[0] -= 1;
      if (a[k] == 3)
        break;
      k++;
    }
    a[1] = k;
  }
}

int main(void) {
  int a[N];
  for (int i = 0; i < N; i++)
    a[i] = i + 10;
  a[0] = 6;
  f(a, N);
  SHOW(a);
}
