// A switch with a case that falls through and a default decides which of several parallel loops run, in a loop.
#include "shape.h"

void f(int *a, int n) {
#pragma omp target map(tofrom : a[0 : n])
  for (int k = 0; k < 12; k++) {
    switch (a[k] % 5) {
    case 0:
#pragma omp parallel for
      for (int i = k + 1; i < n; i++)
        a[i] += 1;
      break;
    case 1:
      a[k] *= 3;
    case 2:
#pragma omp parallel for
      for (int i = k; i < n; i++)
        a[i] += a[k % 2] & 3;
      a[k] -= 1;
      break;
    case 3:
      continue;
    default:
      a[k]++;
    }
    a[n - 1] += k;
  }
}

int main(void) {
  int a[N];
  FILL(a);
  f(a, N);
  SHOW(a);
}
