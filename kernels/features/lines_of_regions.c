// Compiled with `-g`: regions of several numbers of arguments, one inside another, so that the device runtime calls them directly and LLVM
// puts them into the runtime's functions, where each call needs a line.
#include "check.h"

int hits;
#pragma omp declare target to(hits)

int main(void) {
  int last = -1;
#pragma omp target map(tofrom : last)
  {
#pragma omp parallel num_threads(4)
    {
#pragma omp parallel num_threads(1)
#pragma omp atomic
      hits++;
    }
    if (hits > 4)
      printf("too many: %d\n", hits);
#pragma omp parallel for lastprivate(last)
    for (int i = 0; i < 8; i++) {
#pragma omp critical
      last = i;
    }
  }
#pragma omp target update from(hits)
  CHECK_THAT("a region in each thread of another one", hits >= 1 && hits <= 4);
  CHECK("the value of the last iteration", last, 7);
  return finish();
}
