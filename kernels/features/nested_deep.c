// Three parallel regions within each other, with variables shared at each level.
//
// With LLVM's runtime openmp-opt gets this wrong at -O2: docs/upstream.md.
#include "check.h"

enum { THREADS = 64 };

int main(void) {
  int total = 0, deepest = 0;
#pragma omp target map(tofrom : total, deepest)
  {
#pragma omp parallel num_threads(THREADS)
    {
      int mine = omp_get_thread_num();
#pragma omp parallel
      {
        int deeper = mine * 2;
#pragma omp parallel
        {
          deeper += omp_get_level(); // 3
        }
        mine = deeper;
      }
#pragma omp atomic
      total += mine;
      if (omp_get_thread_num() == THREADS - 1) {
#pragma omp parallel
#pragma omp parallel
#pragma omp parallel
#pragma omp parallel
        deepest = omp_get_level() * 100 + omp_get_ancestor_thread_num(1);
      }
    }
  }
  CHECK("values through three levels", total, THREADS * (THREADS - 1) + 3 * THREADS);
  CHECK("five levels", deepest, 500 + THREADS - 1);
  return finish();
}
