// A kernel writes far behind the memory that was mapped for it.
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  long n = 1000, distance = argc > 1 ? atol(argv[1]) : 0;
  int *v = calloc(n, sizeof *v);
#pragma omp target teams distribute parallel for map(tofrom : v[0 : n])
  for (long i = 0; i < n; ++i)
    v[i + (i == 777 ? distance : 0)] = (int)i;
  printf("last %d\n", v[n - 1]);
  return 0;
}
