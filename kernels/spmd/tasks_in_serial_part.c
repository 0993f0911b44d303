// Tasks with dependences, a taskgroup, a taskloop and a region inside a task, all in the serial part around parallel
// loops.
#include "shape.h"

void f(int *a, int n) {
#pragma omp target map(tofrom : a[0 : n])
  {
    int x = 1, y = 2;
#pragma omp task shared(x) depend(out : x)
    x += a[0];
#pragma omp task shared(x, y) depend(in : x) depend(out : y)
    y += x;
#pragma omp taskwait
#pragma omp parallel for
    for (int i = 2; i < n; i++)
      a[i] += x + y;
#pragma omp taskgroup
    {
#pragma omp task shared(a)
      {
#pragma omp parallel for
        for (int i = 2; i < n; i++)
          a[i] *= 2;
      }
    }
#pragma omp taskloop shared(a) grainsize(4)
    for (int i = 2; i < 20; i++)
      a[i] -= 1;
#pragma omp parallel for
    for (int i = 2; i < n; i++)
      a[i] += 1;
    a[0] = x * 100 + y;
  }
}

int main(void) {
  int a[N];
  FILL(a);
  f(a, N);
  SHOW(a);
}
