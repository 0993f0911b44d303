// A helper returns a struct by value in the serial part; the parallel loop reads its fields.
#include "shape.h"

struct V {
  double x, y, z;
};
#pragma omp begin declare target
static struct V __attribute__((noinline)) mk(double t) {
  struct V v = {t, t * 2, t * 3};
  return v;
}
#pragma omp end declare target
void f(double *a, int n) {
#pragma omp target map(tofrom : a[0 : n])
  {
    struct V v = mk(a[0]);
#pragma omp parallel for
    for (int i = 1; i < n; i++)
      a[i] = v.x + v.y * i + v.z;
  }
}

int main(void) {
  double a[N];
  FILL(a);
  f(a, N);
  SHOW(a);
}
