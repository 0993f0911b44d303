// Parallel regions within parallel regions: the inner ones run with one thread, and the queries say so.
#include "check.h"

enum { THREADS = 64 };

#pragma omp begin declare target
static int work(int depth) {
  int sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < 10; ++i)
    sum += i * depth;
  return sum;
}
#pragma omp end declare target

int main(void) {
  int level[THREADS] = {0}, active[THREADS] = {0}, inner_threads[THREADS] = {0}, inner_id[THREADS] = {0};
  int outer[THREADS] = {0}, size = 0;
  omp_set_max_active_levels(1);

#pragma omp target map(tofrom : level, active, inner_threads, inner_id, outer) map(from : size)
  {
#pragma omp parallel num_threads(THREADS)
    {
      int me = omp_get_thread_num();
      if (me == 0)
        size = omp_get_num_threads();
#pragma omp parallel num_threads(4)
      {
        level[me] = omp_get_level();
        active[me] = omp_get_active_level();
        inner_threads[me] += omp_get_num_threads();
        inner_id[me] = omp_get_thread_num();
        outer[me] = omp_get_ancestor_thread_num(1);
      }
    }
  }
  int wrong = 0;
  for (int i = 0; i < THREADS; ++i)
    wrong += level[i] != 2 || active[i] != 1 || inner_threads[i] != 1 || inner_id[i] != 0 || outer[i] != i;
  CHECK("team size", size, THREADS);
  CHECK("inner regions with a wrong answer", wrong, 0);

  // worksharing loop in the inner region: all iterations by each outer thread
  int covered[THREADS] = {0};
#pragma omp target map(tofrom : covered)
#pragma omp parallel num_threads(THREADS)
  covered[omp_get_thread_num()] = work(2);
  wrong = 0;
  for (int i = 0; i < THREADS; ++i)
    wrong += covered[i] != 90;
  CHECK("inner loops that are not complete", wrong, 0);

  // the same function at level 0 and at level 1
  int serial = 0, parallel = 0;
#pragma omp target map(from : serial) map(tofrom : parallel)
  {
    serial = work(3);
#pragma omp parallel num_threads(THREADS)
    {
      int sum = work(1);
#pragma omp atomic
      parallel += sum;
    }
  }
  CHECK("function called serially", serial, 135);
  CHECK("function called in parallel", parallel, 45 * THREADS);
  return finish();
}
