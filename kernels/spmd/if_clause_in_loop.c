// The condition of a region's if clause changes in a loop; with it false, one thread runs the region and what it
// calls.
#include "shape.h"
#include <omp.h>

#pragma omp begin declare target
static void __attribute__((noinline)) count(int *a, int n) {
#pragma omp parallel for if (a[0] % 3)
  for (int i = 1; i < n; i++)
    a[i] += a[0];
}
#pragma omp end declare target

void f(int *a, int n) {
#pragma omp target map(tofrom : a[0 : n])
  for (int k = 0; k < 6; k++) {
    int local = 0, members = 0;
#pragma omp parallel if (k % 2)
    {
#pragma omp atomic
      local++;
#pragma omp single
      members = omp_get_num_threads();
#pragma omp barrier
#pragma omp for nowait
      for (int i = 10; i < n; i++)
        a[i] += k;
    }
    a[1] += local == members && (k % 2 || members == 1);
    count(a, 8);
    a[0]++;
  }
}

int main(void) {
  int a[N];
  FILL(a);
  f(a, N);
  SHOW(a);
}
