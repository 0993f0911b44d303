// `present` on data that is not on the device.
#include <stdio.h>

int main(void) {
  int v[10] = {1};
  printf("before\n");
#pragma omp target map(present, to : v)
  v[0] = 2;
  printf("v %d\n", v[0]);
  return 0;
}
