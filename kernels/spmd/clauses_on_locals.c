// Locals of the serial part in all data clauses of the parallel loops: reductions of scalars and arrays, first- and
// lastprivate.
#include "shape.h"

void f(int *a, int n) {
#pragma omp target map(tofrom : a[0 : n])
  {
    int last = 0, start = a[1], sums[4] = {0}, least = 1000;
    long product = 1;
    for (int k = 0; k < 2; k++) {
#pragma omp parallel for lastprivate(last) firstprivate(start)
      for (int i = 0; i < n; i++) {
        last = a[i] + start;
        a[i] = last;
      }
      start = last;
#pragma omp parallel for reduction(+ : sums) reduction(min : least) reduction(* : product)
      for (int i = 0; i < n; i++) {
        sums[i & 3] += a[i];
        least = a[i] < least ? a[i] : least;
        product *= 1 + (i == 3);
      }
      a[n - 1] = least + product;
    }
    for (int i = 0; i < 4; i++)
      a[i] = sums[i];
  }
}

int main(void) {
  int a[N];
  FILL(a);
  f(a, N);
  SHOW(a);
}
