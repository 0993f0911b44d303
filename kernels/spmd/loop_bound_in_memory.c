// Loops around regions whose ends are read from memory: memory that nobody writes in the loop, that serial code writes before and
// behind it, that a region writes, and that the loop around it writes.
#include "shape.h"

struct range {
  int from, to, done;
};

void f(struct range *r, int *a, int n) {
#pragma omp target teams num_teams(1) map(tofrom : r[0 : 1], a[0 : n])
  {
    r->to = r->from + 3;
    for (int i = r->from; i < r->to; i++) {
#pragma omp parallel for
      for (int k = 0; k < n; k++)
        a[k] += i;
    }
    r->to = 0;
    a[0] += r->from;
  }
}

void g(struct range *r, int *a, int n) {
#pragma omp target teams num_teams(1) map(tofrom : r[0 : 1], a[0 : n])
  while (r->done < 4) {
#pragma omp parallel for
    for (int k = 0; k < n; k++) {
      a[k] += k;
      if (k == n - 1)
        r->done++;
    }
  }
}

void h(struct range *r, int *a, int n) {
#pragma omp target teams num_teams(1) map(tofrom : r[0 : 1], a[0 : n])
  for (int round = 0; round < 3; round++) {
    r->to = r->from + round;
    for (int i = r->from; i < r->to; i++) {
#pragma omp parallel for
      for (int k = 0; k < n; k++)
        a[k] += i * round;
    }
    r->to = -1;
  }
}

int main(void) {
  struct range r = {2, 0, 0};
  int a[N];
  FILL(a);
  f(&r, a, N);
  g(&r, a, N);
  h(&r, a, N);
  printf("%d %d %d\n", r.from, r.to, r.done);
  SHOW(a);
}
