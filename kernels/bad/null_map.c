// Maps memory behind a null pointer.
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  double *missing = argc > 1000 ? malloc(800) : NULL;
  double sum = argv[0] == NULL;
#pragma omp target map(to : missing[0 : 100]) map(tofrom : sum)
  for (int i = 0; i < 100; ++i)
    sum += missing[i];
  printf("sum %f\n", sum);
  return 0;
}
