// A serial local is captured by reference, changed by atomics in two parallel regions and read again serially.
#include "shape.h"

void f(int *a, int n, int *out) {
#pragma omp target map(tofrom : a[0 : n]) map(tofrom : out[0 : 1])
  {
    int x = a[0];
    int cnt = 0;
#pragma omp parallel
    {
#pragma omp atomic
      cnt += x;
    }
    out[0] = cnt;
#pragma omp parallel
    {
#pragma omp atomic
      cnt += 1;
    }
    out[0] += cnt;
  }
}

int main(void) {
  int a[N], out = 0;
  FILL(a);
  f(a, N, &out);
  // a[0] + a[0] + 1 from each thread
  printf("out: %s\n", out > 0 && out % (2 * a[0] + 1) == 0 ? "a multiple" : "wrong");
}
