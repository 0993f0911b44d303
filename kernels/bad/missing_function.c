// A function that the device lacks: declared for it, defined for the host only.
#include <stdio.h>

#pragma omp begin declare target
int only_on_the_host(int x);
#pragma omp end declare target
#ifndef __NVPTX__
int only_on_the_host(int x) { return x + 1; }
#endif

int main(void) {
  int x = 41;
#pragma omp target map(tofrom : x)
  x = only_on_the_host(x);
  printf("x %d\n", x);
  return x != 42;
}
