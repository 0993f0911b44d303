// The serial part calls a function that is only declared here and about which nothing is assumed.
#include "shape.h"

#pragma omp begin declare target
extern int ext(int);
#pragma omp end declare target
void f(int *a, int n) {
#pragma omp target map(tofrom : a[0 : n])
  {
    a[0] = ext(n);
#pragma omp parallel for
    for (int i = 1; i < n; i++)
      a[i] += a[0];
  }
}

int main(void) {
  int a[N];
  FILL(a);
  f(a, N);
  SHOW(a);
}
