// A lock is made, set and destroyed in the serial part and used by the threads between.
#include "shape.h"
#include <omp.h>

void f(int *a, int n) {
#pragma omp target map(tofrom : a[0 : n])
  {
    omp_lock_t lock;
    omp_init_lock(&lock);
    omp_set_lock(&lock);
    a[0] += 1;
    omp_unset_lock(&lock);
#pragma omp parallel for num_threads(8)
    for (int i = 1; i < n; i++) {
      omp_set_lock(&lock);
      a[0] += a[i];
      omp_unset_lock(&lock);
    }
    if (omp_test_lock(&lock))
      a[1] = 100;
    omp_unset_lock(&lock);
    omp_destroy_lock(&lock);
  }
}

int main(void) {
  int a[N];
  FILL(a);
  f(a, N);
  SHOW(a);
}
