// Parallel regions one after the other, which the passes merge: in device LTO, and in clang's default mode as far as they can.
#include "check.h"
#include <omp.h>

enum { N = 200 };

int main(void) {
  int a[N], b[N], n = N;
  for (int i = 0; i < N; ++i)
    a[i] = i, b[i] = 0;
#pragma omp target map(tofrom : a[0 : n], b[0 : n])
  {
#pragma omp parallel
    for (int i = omp_get_thread_num(); i < n; i += omp_get_num_threads())
      a[i] += 3;
#pragma omp parallel
    for (int i = omp_get_thread_num(); i < n; i += omp_get_num_threads())
      b[i] = a[n - 1 - i] + 1;
  }
  int wrong = 0;
  for (int i = 0; i < N; ++i)
    wrong += b[i] != N - 1 - i + 4;
  CHECK("wrong elements", wrong, 0);
  return finish();
}
