// Three kernels call extern functions under the assumptions no_parallelism, no_openmp and ext_spmd_amenable.
#include "shape.h"

#pragma omp begin declare target
#pragma omp begin assumes no_parallelism
extern int ext(int);
#pragma omp end assumes
#pragma omp begin assumes no_openmp
extern int ext2(int);
#pragma omp end assumes
#pragma omp begin assumes ext_spmd_amenable
extern int ext3(int);
#pragma omp end assumes
#pragma omp end declare target
void f(int *a, int n) {
#pragma omp target map(tofrom : a[0 : n])
  {
    a[0] = ext(n);
#pragma omp parallel for
    for (int i = 1; i < n; i++)
      a[i] += a[0];
  }
#pragma omp target map(tofrom : a[0 : n])
  {
    a[0] = ext2(n);
#pragma omp parallel for
    for (int i = 1; i < n; i++)
      a[i] += a[0];
  }
#pragma omp target map(tofrom : a[0 : n])
  {
    a[0] = ext3(n);
#pragma omp parallel for
    for (int i = 1; i < n; i++)
      a[i] += a[0];
  }
}

int main(void) {
  int a[N];
  FILL(a);
  f(a, N);
  SHOW(a);
}
