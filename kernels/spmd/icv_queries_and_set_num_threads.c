// omp_get_* queries at level 0 and level 1, and omp_set_num_threads between two parallel regions.
#include "shape.h"
#include <omp.h>

void f(int *a, int n) {
#pragma omp target map(tofrom : a[0 : n])
  {
    a[0] = omp_get_thread_num();
    a[1] = omp_get_num_threads();
    a[2] = omp_in_parallel();
    a[3] = omp_get_max_threads();
    a[4] = omp_get_level();
#pragma omp parallel
    a[5 + omp_get_thread_num()] = omp_get_num_threads();
    omp_set_num_threads(8);
#pragma omp parallel
    a[5 + omp_get_thread_num()] = omp_get_num_threads();
  }
}

int main(void) {
  enum { MOST = 5 + 1024 };
  static int a[MOST];
  f(a, MOST);
  SHOW_RANGE(a, 0, 3);
  // omp_get_max_threads is not printed: it is the device's.
  printf("level %d\n", a[4]);
  int second = a[5], all = 0;
  while (all < MOST - 5 && a[5 + all] != 0)
    ++all;
  int first = all > second ? all : second;
  printf("at most 8 threads: %d, others: %d\n", 0 < second && second <= 8,
         OTHERS(a, 5, 5 + second, second) + OTHERS(a, 5 + second, 5 + first, first));
}
