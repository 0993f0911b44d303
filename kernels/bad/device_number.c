// A construct for a device that there is not.
#include <stdio.h>

int main(void) {
  int x = 0;
#pragma omp target device(7) map(tofrom : x)
  x = 1;
  printf("x %d\n", x);
  return 0;
}
