// What the main thread of a team has set, read by workers in a region without a barrier. It is the only region of the program:
// an optimiser that counts only what a thread itself has stored would let workers read what the state was when the kernel began.
// Programs with more regions are in serial_state.c.
#include "check.h"

enum { THREADS = 32 };

int main(void) {
  int number[THREADS] = {0}, size[THREADS] = {0}, level[THREADS] = {0}, sum = 0, behind = 0;
#pragma omp target map(tofrom : number, size, level, sum, behind) thread_limit(64)
  {
    int serial = 0;
    for (int k = 0; k < 3; ++k) {
      serial += k;
      sum += serial;
    }
#pragma omp parallel num_threads(THREADS)
    {
      int me = omp_get_thread_num();
      number[me] = me + serial;
      size[me] = omp_get_num_threads();
      level[me] = 10 * omp_get_level() + omp_in_parallel();
    }
    behind += number[5] + serial + omp_get_level();
  }
  int wrong = 0;
  for (int i = 0; i < THREADS; ++i)
    wrong += number[i] != i + 3 || size[i] != THREADS || level[i] != 11;
  CHECK("threads that read something wrong", wrong, 0);
  CHECK("serial code", sum, 4);
  CHECK("serial code behind the region", behind, 11);
  return failures != 0; // not finish(), which has a target region
}
