// Dynamic and ordered loops of teams inside a team, whose threads may be lanes of one warp, and of that team.
#include "check.h"

enum { N = 300, TEAMS = 4 };

static int inner[TEAMS][N], order[TEAMS];

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
  return finish();
}
