// A function with a parallel loop returns early under several conditions; two kernels call it and use what it
// returns.
#include "shape.h"

#pragma omp begin declare target
static int __attribute__((noinline)) reduce_some(int *a, int n, int limit) {
  if (n < 3)
    return -1;
  int sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; i++)
    sum += a[i];
  if (sum > limit)
    return sum - limit;
  a[0] += 1;
#pragma omp parallel for
  for (int i = 1; i < n; i++)
    a[i] += 1;
  return 0;
}
#pragma omp end declare target

void f(int *a, int n) {
#pragma omp target map(tofrom : a[0 : n])
  {
    int over = 0, rounds = 0;
    while (!(over = reduce_some(a, n, 600)))
      rounds++;
    a[0] = over;
    a[1] = rounds;
  }
#pragma omp target map(tofrom : a[0 : n])
  {
    a[2] = reduce_some(a, 2, 0);
    if (reduce_some(a, n, a[3]) > 0)
      a[3] = reduce_some(a + 4, 8, 1000);
  }
}

int main(void) {
  int a[N];
  FILL(a);
  f(a, N);
  SHOW(a);
}
