// The parallel region is in a function of another translation unit (callee_in_other_tu_work.c).
#include "shape.h"

#pragma omp begin declare target
void work(int *a, int n);
#pragma omp end declare target
void f(int *a, int n) {
#pragma omp target map(tofrom : a[0 : n])
  {
    a[0] = 3;
    work(a, n);
    a[1] = 4;
  }
}

int main(void) {
  int a[N];
  FILL(a);
  f(a, N);
  SHOW(a);
}
