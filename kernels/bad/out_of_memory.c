// Maps more than the device has.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  enum { SMALL = 1000, LARGE = 1 << 19, HUGE = 1 << 28 };
  int few[SMALL] = {0};
  double *many = calloc(LARGE, sizeof(double));
  double *all = malloc(HUGE * sizeof(double));
#pragma omp target enter data map(to : few, many[0 : LARGE])
  printf("before\n");
#pragma omp target map(from : all[0 : HUGE])
  all[0] = few[0] + many[0];
  printf("after\n");
  return 0;
}
