// Dynamic loops of teams of one thread: of the initial thread, nested, with if(0), around regions with loops.
#include "check.h"

enum { N = 300 };

static int hits[N];

// A function's loop belongs to the team that calls it: all threads of a region, or the initial thread alone.
#pragma omp begin declare target
static void orphaned(int *count, int n) {
#pragma omp for schedule(dynamic, 3)
  for (int i = 0; i < n; ++i)
#pragma omp atomic
    count[i] += 1;
}
#pragma omp end declare target

int main(void) {
  int alone = 0;
#pragma omp target map(tofrom : hits, alone)
  {
    orphaned(hits, 100);
#pragma omp parallel num_threads(40)
    orphaned(hits + 100, 100);
#pragma omp parallel if (0)
    orphaned(hits + 200, 100);
#pragma omp parallel num_threads(40)
    {
#pragma omp for schedule(dynamic, 2)
      for (int i = 0; i < 60; ++i) {
#pragma omp parallel num_threads(1)
        {
#pragma omp for schedule(guided)
          for (int j = 0; j < i; ++j)
#pragma omp atomic
            alone += 1;
        }
      }
    }
  }
  int wrong = 0;
  for (int i = 0; i < N; ++i)
    wrong += hits[i] != 1;
  CHECK("loops of the initial thread and of a region", wrong, 0);
  CHECK("loops in a loop", alone, 60 * 59 / 2);
  return finish();
}
