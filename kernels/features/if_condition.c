// The condition of an `if` clause is read by all threads of an SPMD kernel before the one thread of its region, which writes what the
// condition reads; and that of the next region behind it, in a kernel of two, which openmp-opt converts.
#include "check.h"

enum { THREADS = 64 };

int main(void) {
  int flag = 0, runs = 0, threads = 0;
#pragma omp target map(tofrom : flag, runs, threads)
#pragma omp parallel num_threads(THREADS) if (parallel : flag)
  {
#pragma omp single nowait
    {
#pragma omp atomic
      flag |= 1;
    }
#pragma omp atomic
    runs += 1;
#pragma omp masked
    threads = omp_get_num_threads();
  }
  CHECK("threads that ran it", runs, 1);
  CHECK("size of its team", threads, 1);
  CHECK("flag", flag, 1);

  flag = runs = threads = 0;
#pragma omp target map(tofrom : flag, runs, threads)
  {
#pragma omp parallel num_threads(THREADS) if (parallel : flag)
    {
#pragma omp atomic
      flag |= 1;
#pragma omp atomic
      runs += 1;
    }
#pragma omp parallel num_threads(THREADS) if (parallel : flag == 0)
    {
#pragma omp atomic
      runs += 100;
#pragma omp masked
      threads = omp_get_num_threads();
    }
  }
  CHECK("threads that ran both of two", runs, 101);
  CHECK("size of the second team", threads, 1);
  return finish();
}
