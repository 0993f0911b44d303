// Device code that cannot go on, in the initial thread of a kernel or, with an argument, in one that a region made.
#include <stdio.h>

int main(int count, char **arguments) {
  (void)arguments;
  int *nowhere = 0, done = 0;
  printf("before\n");
#pragma omp target firstprivate(nowhere) map(tofrom : done)
  {
#pragma omp parallel num_threads(2) if (count > 1)
    nowhere[3] = 1;
    done = 1;
  }
  printf("behind: %d\n", done);
  return 0;
}
