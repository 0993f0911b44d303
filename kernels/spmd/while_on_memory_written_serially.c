// The condition of a loop is read from memory that serial code writes directly behind it: no thread may read the new
// value.
#include "shape.h"

void f(int *a, int n) {
#pragma omp target map(tofrom : a[0 : n])
  while (a[0] > 0) {
    a[0] -= 1;
#pragma omp parallel for
    for (int i = 1; i < n; i++)
      a[i] += 1;
  }
}

int main(void) {
  int a[N];
  FILL(a);
  f(a, N);
  SHOW(a);
}
