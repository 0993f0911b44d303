// What `teams` reduces, added to by the threads of one parallel region that has no `reduction` clause: clang 22 gives each of them a copy of
// its own (docs/upstream.md).
#include "check.h"

enum { STEPS = 100, TEAMS = 3 };

typedef struct {
  double sum;
  int count;
} both;
#pragma omp declare reduction(add : both : omp_out.sum += omp_in.sum, omp_out.count += omp_in.count)                   \
    initializer(omp_priv = (both){0, 0})

int main(void) {
  // each thread
  int threads = 3, counted = 0;
#pragma omp target teams num_teams(TEAMS) thread_limit(64) reduction(+ : threads, counted)
#pragma omp parallel
  {
#pragma omp atomic
    threads += 1;
    if (omp_get_thread_num() == 0)
      counted += omp_get_num_threads();
  }
  CHECK_THAT("each thread once", counted > 0 && threads == 3 + counted);

  // a loop of the team's threads
  long sum = 1;
  int teams = 0, most = -1;
  both pair = {0, 0};
#pragma omp target teams num_teams(TEAMS) thread_limit(96) reduction(+ : sum, teams) reduction(add : pair)              \
    reduction(max : most)
#pragma omp parallel num_threads(70)
  {
#pragma omp single
    teams += 1;
#pragma omp for
    for (int i = 0; i < STEPS; ++i) {
#pragma omp atomic
      sum += i;
#pragma omp critical
      {
        pair.sum += i * 0.5;
        pair.count += 1;
        most = most < i ? i : most;
      }
    }
  }
  CHECK_THAT("each step once in each team", teams > 0 && sum == 1 + 4950L * teams);
  CHECK_THAT("a structure", pair.sum == 2475.0 * teams && pair.count == STEPS * teams);
  CHECK("max", most, STEPS - 1);

  // one that the region reduces beside one that it does not
  int reduced = 0, added = 0;
#pragma omp target teams num_teams(TEAMS) thread_limit(64) reduction(+ : reduced, added)
#pragma omp parallel reduction(+ : reduced)
  {
    reduced += 1;
#pragma omp atomic
    added += 1;
  }
  CHECK_THAT("reduced and added", reduced > 0 && reduced == added);

  // over and over, in a generic kernel
  int steps = 0, sevens = 0;
#pragma omp target teams distribute num_teams(TEAMS) reduction(+ : steps, sevens)
  for (int i = 0; i < 20; ++i)
#pragma omp parallel for
    for (int j = 0; j < 30; ++j) {
#pragma omp atomic
      steps += j;
      if (j == 7)
#pragma omp atomic
        sevens += 1;
    }
  CHECK("steps", steps, 20 * 435);
  CHECK("sevens", sevens, 20);
  return finish();
}
