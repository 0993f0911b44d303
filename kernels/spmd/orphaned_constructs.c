// A function with worksharing loops, single, sections, reductions, critical and barriers is called from serial code, where
// its team is one thread, and from a region.
#include "shape.h"

#pragma omp begin declare target
static void __attribute__((noinline)) work(int *a, int n, int *sum) {
  int first;
#pragma omp for schedule(dynamic, 2)
  for (int i = 0; i < n; i++)
    a[i] += 1;
#pragma omp barrier
#pragma omp for schedule(static)
  for (int i = 0; i < n; i++)
    a[i] *= 2;
#pragma omp single copyprivate(first)
  first = a[0];
#pragma omp sections
  {
#pragma omp section
    a[n] = first;
#pragma omp section
    a[n + 1] += first;
  }
#pragma omp for reduction(+ : sum[0 : 1])
  for (int i = 0; i < n; i++)
    sum[0] += a[i];
#pragma omp critical
  a[n + 2] |= 1;
#pragma omp masked
  a[n + 3]++;
#pragma omp barrier
}
#pragma omp end declare target

void f(int *a, int n) {
#pragma omp target map(tofrom : a[0 : n])
  {
    work(a, n / 2, a + n - 1);
#pragma omp parallel num_threads(64)
    work(a, n / 2, a + n - 1);
    work(a, n / 4, a + n - 1);
  }
}

int main(void) {
  int a[N];
  FILL(a);
  f(a, N);
  SHOW(a);
}
