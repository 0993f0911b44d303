// An atomic update in serial code of `teams`: of each team's initial thread alone. LLVM 22's openmp-opt lets all threads do it where it
// stops looking before it has seen all of a kernel (docs/upstream.md), which needs long chains of what follows from what: here
// a dynamic schedule, regions inside regions and a task group.
#include "check.h"

enum { TEAMS = 3, TRIPS = 7 };

int main(void) {
  int once = 0, trips = 0, tasks = 0;
#pragma omp target map(tofrom : once, trips, tasks)
#pragma omp teams num_teams(1)
  {
#pragma omp atomic
    once += 1 + omp_get_team_num();
#pragma omp distribute parallel for schedule(guided, 7)
    for (long i = 0; i < TRIPS; ++i)
#pragma omp parallel num_threads(1)
#pragma omp taskgroup
    {
#pragma omp atomic
      ++trips;
    }
  }
  CHECK("by one thread", once, 1);
  CHECK("trips", trips, TRIPS);

  once = 0, trips = 0;
#pragma omp target map(tofrom : once, trips, tasks)
#pragma omp teams num_teams(TEAMS)
  {
#pragma omp atomic
    once += 1;
#pragma omp distribute parallel for schedule(guided, 7)
    for (long i = 0; i < TRIPS; ++i)
#pragma omp parallel num_threads(1)
#pragma omp sections
    {
#pragma omp section
      {
#pragma omp parallel for schedule(guided, 3) num_threads(38)
        for (int k = -30; k > -378; k -= 6) {
#pragma omp atomic
          ++trips;
        }
#pragma omp taskgroup
        {
#pragma omp task shared(tasks)
          {
#pragma omp atomic
            ++tasks;
          }
#pragma omp task
          {
          }
        }
      }
#pragma omp section
      {
      }
    }
  }
  CHECK_THAT("by one thread of each team", once >= 1 && once <= TEAMS);
  CHECK("inner trips", trips, 58 * TRIPS);
  CHECK("tasks", tasks, TRIPS);
  return finish();
}
