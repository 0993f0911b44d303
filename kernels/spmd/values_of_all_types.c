// Values of several types that serial code computes steer loops and branches around parallel loops, and are used in
// them.
#include "shape.h"
#include <stdbool.h>

struct pair {
  short low;
  double high;
};
#pragma omp begin declare target
static struct pair __attribute__((noinline)) next(struct pair p, long *count) {
  struct pair q = {p.low + 1, p.high / 2};
  ++*count;
  return q;
}
#pragma omp end declare target

void f(double *a, int n, long *counts) {
#pragma omp target map(tofrom : a[0 : n], counts[0 : 2])
  {
    double *from = a + 1;
    float factor = a[0] / 2;
    bool more = a[1] > 0;
    char letter = 'a';
    unsigned long wide = 1ul << 40;
    struct pair p = {1, 16};
    while (more) {
      p = next(p, counts);
      from += p.low;
      factor *= 2;
      letter++;
      wide >>= 1;
#pragma omp parallel for
      for (int i = 0; i < n / 2; i++)
        a[n - 1 - i] += factor + (from - a) + letter - 'a' + (wide >> 36) + p.high;
      more = p.high > 1 && from < a + n && letter != 'z';
      if (factor > 5 && wide & 1ul << 37)
        a[0] += letter;
    }
    counts[1] = p.low;
  }
}

int main(void) {
  double a[N];
  long counts[2] = {0, 0};
  FILL(a);
  f(a, N, counts);
  SHOW(a);
  SHOW(counts);
}
