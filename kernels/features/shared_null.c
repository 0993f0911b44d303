// Null beside addresses in shared memory and elsewhere. LLVM 22 takes it for an address in shared memory, and it is no null any more
// where it meets the others (docs/upstream.md).
#include "check.h"

enum { THREADS = 64 };

static long outside = 7;

int main(void) {
  int nulls = 0, wrong = 0;
#pragma omp target map(tofrom : nulls, wrong) map(to : outside)
  {
    long *of_program = &outside;
    long of_team;
#pragma omp allocate(of_team) allocator(omp_pteam_mem_alloc)
    of_team = 5;
#pragma omp parallel num_threads(THREADS) shared(of_team)
    {
      int thread = omp_get_thread_num();
      long *place = thread % 3 == 0 ? &of_team : NULL;
      if (thread % 3 == 1)
        place = of_program;
      if (place == NULL) {
#pragma omp atomic
        nulls += 1;
      } else if (*place != (thread % 3 == 0 ? 5 : 7)) {
#pragma omp atomic
        wrong += 1;
      }
    }
  }
  CHECK("threads with null", nulls, THREADS / 3);
  CHECK("values", wrong, 0);
  return finish();
}
