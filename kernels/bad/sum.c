// A right program, for wrong surroundings: another architecture, a device that is not there, a wrong setting.
#include <stdio.h>

int main(void) {
  int v[100], sum = 0;
  for (int i = 0; i < 100; ++i)
    v[i] = i;
#pragma omp target teams distribute parallel for map(to : v) reduction(+ : sum)
  for (int i = 0; i < 100; ++i)
    sum += v[i];
  printf("sum %d\n", sum);
  return sum != 4950;
}
