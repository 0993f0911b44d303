// Questions to the runtime that are asked again where the answer is the same and where it is not, regions without effect, and
// barriers beside others: what is removed must change nothing.
#include <omp.h>
#include "shape.h"

static int level_here(int n) { return n > 0 ? omp_get_level() * 10 + omp_get_level() : 0; }

void f(int *a, int n) {
#pragma omp target map(tofrom : a[0 : n])
  {
    a[0] = level_here(n);
    a[1] = omp_get_max_threads() > 0;
    omp_set_num_threads(3);
    a[2] = omp_get_max_threads() + omp_get_num_threads();
#pragma omp parallel
    {
    }
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      if (a[i] == -1)
        (void)omp_get_thread_num();
#pragma omp parallel num_threads(2)
    {
#pragma omp barrier
      int first = omp_get_thread_num();
#pragma omp for
      for (int i = 3; i < n; i++)
        a[i] += level_here(n);
#pragma omp barrier
#pragma omp single
      a[3] += a[n - 1];
#pragma omp barrier
#pragma omp atomic
      a[4] += a[3] + (omp_get_thread_num() - first) + omp_get_num_threads();
#pragma omp parallel num_threads(1)
      {
#pragma omp atomic
        a[5] += level_here(n);
      }
#pragma omp barrier
#pragma omp for
      for (int i = 6; i < n; i++)
        a[i] += a[5] + omp_get_num_threads();
    }
    a[2] += omp_get_max_threads() + omp_get_num_threads() + level_here(n);
  }
}

int main(void) {
  int a[N];
  FILL(a);
  f(a, N);
  SHOW(a);
}
