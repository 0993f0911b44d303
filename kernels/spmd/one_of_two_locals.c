// The parallel loops reach one of two local arrays through a pointer that serial code has chosen, and change it.
#include "shape.h"

void f(int *a, int n) {
#pragma omp target map(tofrom : a[0 : n])
  {
    int x[8] = {1, 2, 3, 4, 5, 6, 7, 8}, y[8] = {0};
    int *chosen = a[0] > a[1] ? x : y;
    for (int k = 0; k < 3; k++) {
#pragma omp parallel for
      for (int i = 0; i < 8; i++)
        chosen[i] += a[i] + k;
      chosen = chosen == x ? y : x;
    }
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      a[i] = x[i & 7] * 100 + y[i & 7];
  }
}

int main(void) {
  int a[N];
  FILL(a);
  f(a, N);
  SHOW(a);
}
