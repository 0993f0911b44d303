// Many constructs at once map one variable, count in it, and map it back: no count is lost, whichever of them brings the
// variable to the device or back.
#include <stdio.h>

enum { CONSTRUCTS = 20000 };

int main(void) {
  int counter = 0;
#pragma omp parallel for num_threads(8) schedule(dynamic)
  for (int i = 0; i < CONSTRUCTS; i++) {
#pragma omp target map(tofrom : counter)
    {
#pragma omp atomic
      counter++;
    }
  }
  int waited = counter;
#pragma omp parallel num_threads(8)
#pragma omp single
  for (int i = 0; i < CONSTRUCTS; i++) {
#pragma omp target map(tofrom : counter) nowait
    {
#pragma omp atomic
      counter++;
    }
  }
  printf("lost %d, %d\n", CONSTRUCTS - waited, 2 * CONSTRUCTS - counter);
  return 0;
}
