// `critical` excludes: between teams, in the widest team, between lanes of a warp, in divergent code, in functions that a
// simd loop calls, and one name inside another.
#include "../features/check.h"

enum { TEAMS = 16, THREADS = 64, ROUNDS = 2 };

static int sum[TEAMS], runs[TEAMS], all;

#pragma omp begin declare target
static void bump(volatile int *p) {
#pragma omp critical(called)
  *p = *p + 1;
}
#pragma omp end declare target

int main(void) {
#pragma omp target teams num_teams(TEAMS) thread_limit(THREADS) map(tofrom : sum, runs, all)
#pragma omp parallel
  {
    int t = omp_get_team_num();
    for (int r = 0; r < ROUNDS; ++r) {
#pragma omp critical(bump)
      {
        volatile int *p = &sum[t], *q = &all;
        *p = *p + 1;
        *q = *q + 1;
      }
#pragma omp atomic
      runs[t] += 1;
    }
  }
  int wrong = 0, total = 0;
  for (int t = 0; t < TEAMS; ++t) {
    wrong += sum[t] != runs[t];
    total += runs[t];
  }
  CHECK("teams whose count is wrong", wrong, 0);
  CHECK("counted over all teams", all, total);

  int wide = 0, members = 0;
#pragma omp target teams num_teams(1) thread_limit(1024) map(tofrom : wide, members)
#pragma omp parallel
  {
#pragma omp atomic
    members += 1;
#pragma omp critical
    {
      volatile int *p = &wide;
      *p = *p + 1;
    }
  }
  CHECK("1024 threads", wide, members);
  CHECK_THAT("1024 threads: so many are there", members >= 992 || !offloads());

  int odd = 0, deep = 0, inner = 0, lanes = 0, warp = 0;
#pragma omp target parallel num_threads(96) map(tofrom : odd, deep, inner, lanes, warp)
  {
    int me = omp_get_thread_num();
#pragma omp atomic
    warp += 1;
    if (me % 3 == 1) {
#pragma omp critical(divergent)
      {
        volatile int *p = &odd;
        *p = *p + 1;
      }
    } else if (me % 3 == 2) {
      for (int k = 0; k < me % 4; ++k) {
#pragma omp critical(divergent)
        {
          volatile int *p = &odd;
          *p = *p + 1;
        }
      }
    }
#pragma omp critical(outer)
    {
      volatile int *p = &deep;
      *p = *p + 1;
#pragma omp critical(inside)
      {
        volatile int *q = &inner;
        *q = *q + 1;
      }
    }
#pragma omp simd
    for (int i = 0; i < 3; ++i)
      bump(&lanes);
  }
  int want = 0;
  for (int me = 0; me < warp; ++me)
    want += me % 3 == 1 ? 1 : me % 3 == 2 ? me % 4 : 0;
  CHECK("divergent code", odd, want);
  CHECK("a name within another", deep * 1000 + inner, warp * 1001);
  CHECK("called from a simd loop", lanes, 3 * warp);
  return finish();
}
