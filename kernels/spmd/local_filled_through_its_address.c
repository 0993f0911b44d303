// Helpers fill locals through their addresses; the values then bound a loop around a parallel loop.
#include "shape.h"

struct bounds {
  int first, last, step;
};
#pragma omp begin declare target
static void __attribute__((noinline)) choose(struct bounds *b, const int *a, int *calls) {
  b->first = a[0];
  b->last = a[1] + 10;
  b->step = 1 + (*calls)++ % 3;
}
#pragma omp end declare target

void f(int *a, int n) {
#pragma omp target map(tofrom : a[0 : n])
  {
    struct bounds b;
    int calls = 0;
    choose(&b, a, &calls);
    for (int k = b.first; k < b.last; k += b.step) {
#pragma omp parallel for
      for (int i = 2; i < n; i++)
        a[i] += k + b.step;
      choose(&b, a, &calls);
    }
    a[0] = calls;
  }
}

int main(void) {
  int a[N];
  FILL(a);
  f(a, N);
  SHOW(a);
}
