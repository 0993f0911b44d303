// Regions in undeferred tasks of serial code: of one thread, which the passes know where they make a kernel SPMD. A region
// between such tasks has all threads.
#include "check.h"

enum { TASKS = 3, TRIPS = 31, THREADS = 64 };

#pragma omp begin declare target
// The same code in a task and outside of one.
__attribute__((noinline)) static void region(int *trips, int *threads) {
#pragma omp parallel num_threads(THREADS)
  {
#pragma omp for
    for (int i = 0; i < TRIPS; ++i) {
#pragma omp atomic
      *trips += 1;
    }
#pragma omp masked
    *threads += omp_get_num_threads();
  }
}
#pragma omp end declare target

int main(void) {
  int trips = 0, alone = 0, together = 0, levels = 0;
#pragma omp target map(tofrom : trips, alone, together, levels)
  {
#pragma omp taskgroup
    for (int t = 0; t < TASKS; ++t) {
#pragma omp task shared(trips, alone, levels) if (0)
      {
        int step = t + 1;
#pragma omp parallel num_threads(THREADS)
        {
#pragma omp for
          for (int i = 0; i < TRIPS; ++i) {
#pragma omp atomic
            trips += 1;
          }
#pragma omp masked
          {
            alone += omp_get_num_threads();
            levels += step * omp_get_level();
          }
        }
        // What follows the region in the task.
        levels += step;
#pragma omp task shared(trips, alone) if (0)
        region(&trips, &alone);
      }
      region(&trips, &together);
    }
  }
  CHECK("iterations", trips, 3 * TASKS * TRIPS);
  CHECK("threads of regions in tasks", alone, 2 * TASKS);
  CHECK("threads of the others", together, TASKS *THREADS);
  CHECK("levels and what follows", levels, TASKS * (TASKS + 1));
  return finish();
}
