// Dynamic and ordered loops of teams inside a team, whose threads may be lanes of one warp, and of that team; and of a region of
// one thread inside a loop of serial code.
#include "check.h"

enum { N = 120, TEAMS = 4 };

static int inner[TEAMS][N], order[TEAMS];

#pragma omp begin declare target
__attribute__((noinline)) static void inner_loop(int *next) {
#pragma omp for schedule(dynamic, 2) ordered
  for (int i = 0; i < 11; ++i) {
#pragma omp ordered
    *next += *next % 11 == i;
  }
}

__attribute__((noinline)) static void outer_loop(int *next, int threads) {
#pragma omp for schedule(dynamic, 2)
  for (int i = 0; i < 7; ++i) {
#pragma omp parallel num_threads(threads)
    inner_loop(next);
  }
}
#pragma omp end declare target

int main(void) {
  int rounds = 0, missed = 0;
#pragma omp target map(tofrom : inner, order, rounds)
  {
    int started = 0;
#pragma omp parallel num_threads(TEAMS)
    {
#pragma omp atomic
      started += 1;
#pragma omp parallel num_threads(12)
      {
        int team = omp_get_ancestor_thread_num(1);
        for (int round = 0; round < 5; ++round) {
#pragma omp for schedule(dynamic, 3) nowait
          for (int i = 0; i < N; ++i)
#pragma omp atomic
            inner[team][i] += 1;
        }
#pragma omp for schedule(guided, 3) ordered
        for (int i = 0; i < N; ++i) {
#pragma omp ordered
          order[team] += order[team] == i;
        }
      }
#pragma omp for schedule(dynamic, 2)
      for (int i = 0; i < 100; ++i)
#pragma omp atomic
        rounds += 1;
    }
    rounds *= started > 0;
  }
  // The host may give fewer teams.
  for (int team = 0; team < TEAMS; ++team)
    if (inner[team][0] != 0) {
      missed += order[team] != N;
      for (int i = 0; i < N; ++i)
        missed += inner[team][i] != 5;
    }
  CHECK("iterations of inner teams", missed, 0);
  CHECK("iterations of their outer team", rounds, 100);

  // Both loops are of a team of one. The functions are called, because a loop may not stand directly inside another.
  int alone = 0, wanted = 1;
#pragma omp target map(tofrom : alone) map(to : wanted)
  outer_loop(&alone, wanted);
  CHECK("loops of one thread inside a loop of serial code", alone, 7 * 11);
  return finish();
}
