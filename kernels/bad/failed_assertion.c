// An assertion fails in a kernel.
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  int limit = argc > 1 ? atoi(argv[1]) : 100, count = 0;
#pragma omp target parallel for reduction(+ : count)
  for (int i = 0; i < 100; ++i) {
    assert(i < limit);
    count += 1;
  }
  printf("count %d\n", count);
  return count != 100;
}
