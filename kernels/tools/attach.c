// Maps a pointer and what it points to one after the other, so that no construct maps both anew: whether the device's
// pointer is attached is up to LIBOMPTARGET_TREAT_ATTACH_AUTO_AS_ALWAYS.
#include <stdio.h>
#include <stdlib.h>

enum { N = 10 };
int *p;

int main(void) {
  p = calloc(N, sizeof *p);
#pragma omp target enter data map(to : p[0 : N])
#pragma omp target enter data map(to : p)
#pragma omp target enter data map(to : p[0 : N])
  int unused = 0;
#pragma omp target map(tofrom : unused)
  unused = 1;
  printf("done %d\n", unused);
  free(p);
  return 0;
}
