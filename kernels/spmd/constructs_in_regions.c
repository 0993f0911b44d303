// critical, sections, ordered, masked, single with copyprivate and nested regions inside, serial code between.
#include "shape.h"

void f(int *a, int n) {
#pragma omp target map(tofrom : a[0 : n])
  {
    int next = 1, seen = 0;
    a[0] = 2;
#pragma omp parallel num_threads(8)
    {
      int mine = 0;
#pragma omp single copyprivate(mine)
      mine = a[0] + 3;
#pragma omp for ordered
      for (int i = 1; i < 12; i++) {
#pragma omp ordered
        {
          a[i] = next;
          next += mine;
        }
      }
#pragma omp sections
      {
#pragma omp section
        a[20] = 1;
#pragma omp section
        a[21] = 2;
      }
#pragma omp critical
      seen |= mine;
#pragma omp masked
      a[22] = mine;
    }
    a[23] = seen + next;
#pragma omp parallel for num_threads(4)
    for (int i = 24; i < 28; i++) {
      int inner = 0;
#pragma omp parallel for reduction(+ : inner) num_threads(2)
      for (int k = 0; k < 5; k++)
        inner += k + a[23];
      a[i] = inner;
    }
    a[28] = a[27];
  }
}

int main(void) {
  int a[N];
  FILL(a);
  f(a, N);
  SHOW(a);
}
