// Serial code in several kernels writes one static variable of the device and captures a local each; they run in
// turn.
#include "shape.h"

#pragma omp begin declare target
static int turns;
#pragma omp end declare target

void f(int *a, int n) {
  for (int k = 0; k < 3; k++) {
#pragma omp target map(tofrom : a[0 : n])
    {
      int local = a[0] + ++turns;
#pragma omp parallel for
      for (int i = 1; i < n; i++)
        a[i] += local;
      a[0] = local;
    }
#pragma omp target map(tofrom : a[0 : n])
    {
      int local[4] = {turns, a[1], a[2], a[3]};
      turns *= 2;
#pragma omp parallel for
      for (int i = 0; i < n; i++)
        a[i] = (a[i] + local[i & 3]) % 1000;
    }
  }
}

int main(void) {
  int a[N];
  FILL(a);
  f(a, N);
  SHOW(a);
}
