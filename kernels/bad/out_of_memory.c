// Maps more than the device has, behind something that half of it is needed for.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  enum { SMALL = 1000, LARGE = 1 << 19, HALF = 1 << 22, HUGE = 1 << 28 };
  int few[SMALL] = {0};
  double *many = calloc(LARGE, sizeof(double));
  double *half = calloc(HALF, sizeof(double));
  double *all = malloc(HUGE * sizeof(double));
#pragma omp target enter data map(to : few, many[0 : LARGE])
  printf("before\n");
#pragma omp target map(to : half[0 : HALF]) map(from : all[0 : HUGE])
  { // clang maps them in the order that they are used in.
    double sum = half[0] + few[0] + many[0];
    all[0] = sum;
  }
  printf("after\n");
  return 0;
}
