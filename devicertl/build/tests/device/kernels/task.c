// Each thread makes a task.
#include <omp.h>
void task(int n, int *restrict a) {
#pragma omp target parallel map(tofrom : a[0 : n])
  {
    int me = omp_get_thread_num();
#pragma omp task
    a[me] += me;
  }
}
