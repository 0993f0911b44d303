// Jumps into common code from several places, over parallel loops: joins that no structured statement makes.
#include "shape.h"

void f(int *a, int n) {
#pragma omp target map(tofrom : a[0 : n])
  {
    int k = 0;
    if (a[0] > 1)
      goto middle;
  again:
    a[k] += 1;
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      a[i] += k;
    if (a[k] % 3 == 0)
      goto last;
  middle:
    a[k + 1] -= 2;
    k++;
    if (a[k] % 4 == 1)
      goto last;
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      a[i] ^= 1;
  last:
    a[n - 1] += k;
    if (k++ < 9)
      goto again;
  }
}

int main(void) {
  int a[N];
  FILL(a);
  f(a, N);
  SHOW(a);
}
