// More memory than any machine has.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  int few[1000] = {0};
  char *many = malloc(1);
#pragma omp target enter data map(to : few)
  puts("before");
  fflush(stdout);
#pragma omp target enter data map(alloc : many[0 : 1L << 45])
  puts("behind");
  return 0;
}
