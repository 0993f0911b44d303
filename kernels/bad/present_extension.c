// `present` on an array of which only a part is on the device.
#include <stdio.h>

int main(void) {
  int v[10] = {1};
  printf("before\n");
#pragma omp target data map(to : v[8 : 2])
#pragma omp target map(present, to : v)
  v[0] = 2;
  printf("v %d\n", v[0]);
  return 0;
}
