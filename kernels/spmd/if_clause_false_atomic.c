// A parallel region with a false if clause must run on one thread only.
#include "shape.h"

void f(int *a, int n) {
#pragma omp target map(tofrom : a[0 : n])
  {
    a[1] = 0;
#pragma omp parallel if (n > 100)
    {
#pragma omp atomic
      a[0] += 1;
    }
  }
}

int main(void) {
  // The clause is false, and true.
  static int a[N], b[200];
  FILL(a);
  f(a, N);
  SHOW(a);
  f(b, 200);
  printf("threads counted: %s\n", b[0] > 0 ? "some" : "none");
}
