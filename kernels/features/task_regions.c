// Parallel regions in the tasks of `taskloop` and of tasks with dependences, inside a region and in serial code. openmp-opt
// does not look for regions there and writes into the kernel that no region is inside another one.
#include "check.h"

enum { TASKS = 6, TRIPS = 5 };

// What a task does: a region, at level `deep`, whose loop is run once, however many threads it has.
#define REGION(deep)                                                                                                   \
  _Pragma("omp parallel for") for (int i = 0; i < TRIPS; ++i) {                                                        \
    _Pragma("omp atomic") trips += 1;                                                                                  \
    if (omp_get_level() != (deep))                                                                                     \
      _Pragma("omp atomic") wrong += 1;                                                                                \
  }

#define SHOW(what, tasks)                                                                                              \
  CHECK(what ": iterations too many or too few", trips - (tasks) * TRIPS, 0);                                          \
  CHECK(what ": wrong levels", wrong, 0);                                                                              \
  trips = wrong = 0

int main(void) {
  int trips = 0, wrong = 0, threads = 0;
#pragma omp target parallel map(tofrom : trips, wrong)
#pragma omp for schedule(dynamic)
  for (int k = 0; k < 7; ++k) {
#pragma omp taskloop num_tasks(TASKS) shared(trips, wrong)
    for (int t = 0; t < TASKS; ++t)
      REGION(2)
  }
  SHOW("taskloop in a shared loop", 7 * TASKS);

#pragma omp target parallel map(tofrom : trips, wrong)
#pragma omp for schedule(dynamic)
  for (int k = 0; k < 7; ++k) {
    int order;
#pragma omp task depend(out : order) shared(trips, wrong)
    REGION(2)
#pragma omp task depend(in : order) shared(trips, wrong)
    REGION(2)
  }
  SHOW("depend in a shared loop", 7 * 2);

  // Not all threads of a region; serial code around it.
#pragma omp target map(tofrom : trips, wrong, threads)
  {
    threads = 0;
#pragma omp parallel
    {
      if (omp_get_thread_num() % 3 == 1) {
#pragma omp atomic
        threads += 1;
#pragma omp taskloop grainsize(1) nogroup shared(trips, wrong)
        for (int t = 0; t < TASKS; ++t)
          REGION(2)
      }
    }
    threads *= TASKS;
#pragma omp parallel for
    for (int i = 0; i < TRIPS; ++i)
#pragma omp atomic
      trips += 1;
  }
  SHOW("taskloop by some threads", threads + 1);

  // In serial code they are regions of the first level, and those after them have all threads again.
#pragma omp target map(tofrom : trips, wrong, threads)
  {
    threads = 1;
#pragma omp taskloop num_tasks(TASKS) shared(trips, wrong)
    for (int t = 0; t < TASKS; ++t)
      REGION(1)
#pragma omp task depend(out : threads) shared(trips, wrong)
    REGION(1)
#pragma omp parallel
    {
#pragma omp single
      threads = omp_get_num_threads();
#pragma omp taskloop num_tasks(TASKS) shared(trips, wrong)
      for (int t = 0; t < TASKS; ++t)
        REGION(2)
    }
#pragma omp parallel
#pragma omp atomic
    threads -= 1;
  }
  CHECK("serial code: threads of a later region less than before", threads, 0);
  return finish();
}
