// A loop of which environment variables decide how many teams and threads run it.
#include <stdio.h>

int main(void) {
  long sum = 0;
#pragma omp target teams distribute parallel for reduction(+ : sum)
  for (int i = 0; i < 204800; i++)
    sum += 4;
  printf("sum %ld\n", sum);
  return 0;
}
