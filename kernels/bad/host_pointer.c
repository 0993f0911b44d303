// The kernel gets a pointer as a number, so nobody maps what it points to.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  int *array = malloc(100 * sizeof *array);
  unsigned long address = (unsigned long)array;
  array[3] = 4;
  int got = 0;
#pragma omp target map(from : got) firstprivate(address)
  {
    int *p = (int *)address;
    got = p[3];
  }
  printf("got %d\n", got);
  free(array);
  return 0;
}
