// A loop of an iteration a thread that is long for every device.
#include <stdio.h>
#include <stdlib.h>

enum { N = 820001 };

int main(void) {
  int *a = malloc(N * sizeof *a);
  long sum = 0;
#pragma omp target teams distribute parallel for map(from : a[0 : N])
  for (int i = 0; i < N; ++i)
    a[i] = i % 7;
  for (int i = 0; i < N; ++i)
    sum += a[i];
  printf("sum %ld\n", sum);
  free(a);
  return 0;
}
