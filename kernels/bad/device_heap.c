// An array of a team that is larger than the heap of the device, if that has 1 MiB.
#include <stdio.h>

enum { LENGTH = 1 << 19 };

int main(void) {
  long sum = 0;
  printf("before\n");
#pragma omp target map(tofrom : sum)
  {
    int array[LENGTH];
#pragma omp parallel for
    for (int i = 0; i < LENGTH; ++i)
      array[i] = i;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < LENGTH; ++i)
      sum += array[LENGTH - 1 - i];
  }
  printf("sum %d\n", sum == (long)LENGTH * (LENGTH - 1) / 2);
  return 0;
}
