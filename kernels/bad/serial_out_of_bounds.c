// Code around parallel regions writes far behind the memory that was mapped for it: in the kernel, in a function that the
// kernel calls, or in a region. The passes make each a part of one thread, of a copy, or leave it where it is.
#include <stdio.h>
#include <stdlib.h>

static void scale(int *v, long n, long distance) {
  v[1 + distance] = v[0] + 1;
#pragma omp parallel for
  for (long i = 2; i < n; ++i)
    v[i] *= v[1];
}

int main(int argc, char **argv) {
  long n = 1000, way[3] = {0};
  int *v = calloc(n, sizeof *v);
  if (argc > 1)
    way[atol(argv[1])] = 1l << 40;
#pragma omp target map(tofrom : v[0 : n]) map(to : way)
  {
    v[0 + way[0]] = 7;
#pragma omp parallel for
    for (long i = 2; i < n; ++i)
      v[i + (i == 500 ? way[2] : 0)] = (int)i + v[0];
    scale(v, n, way[1]);
  }
  printf("last %d\n", v[n - 1]);
  return 0;
}
