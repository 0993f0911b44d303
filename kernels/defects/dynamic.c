// Loops whose iterations threads take as they come: no thread leaves the region, the construct or its data before all are
// done, in generic and in SPMD kernels.
#include "../features/check.h"

enum { TEAMS = 3, N = 150 };

static int hit[TEAMS][N], early[TEAMS], level[TEAMS], ran[TEAMS];

#define GENERIC(clause)                                                                                                \
  do {                                                                                                                 \
    for (int t = 0; t < TEAMS; ++t)                                                                                    \
      for (int i = 0; i < N; ++i)                                                                                      \
        hit[t][i] = early[t] = level[t] = ran[t] = 0;                                                                  \
    PRAGMA(omp target teams num_teams(TEAMS) thread_limit(128) map(tofrom : hit, early, level, ran))                   \
    {                                                                                                                  \
      int t = omp_get_team_num(), done = 0, wrong = 0;                                                                 \
      ran[t] = 1;                                                                                                      \
      PRAGMA(omp parallel for clause shared(done, wrong))                                                              \
      for (int i = 0; i < N; ++i) {                                                                                    \
        PRAGMA(omp atomic)                                                                                             \
        hit[t][i] += 1;                                                                                                \
        if (omp_get_level() != 1)                                                                                      \
          PRAGMA(omp atomic)                                                                                           \
        wrong += 1;                                                                                                    \
        PRAGMA(omp atomic)                                                                                             \
        done += 1;                                                                                                     \
      }                                                                                                                \
      early[t] = N - done;                                                                                             \
      level[t] = wrong + omp_get_level();                                                                              \
    }                                                                                                                  \
    int wrong = 0;                                                                                                     \
    for (int t = 0; t < TEAMS; ++t) {                                                                                  \
      if (!ran[t])                                                                                                     \
        continue;                                                                                                      \
      wrong += early[t] != 0 || level[t] != 0;                                                                         \
      for (int i = 0; i < N; ++i)                                                                                      \
        wrong += hit[t][i] != 1;                                                                                       \
    }                                                                                                                  \
    CHECK("after a region: " #clause, wrong, 0);                                                                       \
  } while (0)

#define SPMD(clause)                                                                                                   \
  do {                                                                                                                 \
    int wrong = 0, count = 0, rounds = 0;                                                                              \
    PRAGMA(omp target parallel num_threads(96) map(tofrom : wrong, count, rounds))                                     \
    for (int round = 1; round <= 4; ++round) {                                                                         \
      PRAGMA(omp for clause)                                                                                           \
      for (int i = 0; i < N; ++i)                                                                                      \
        PRAGMA(omp atomic)                                                                                             \
      count += 1;                                                                                                      \
      int now;                                                                                                         \
      PRAGMA(omp atomic read)                                                                                          \
      now = count;                                                                                                     \
      if (now != round * N)                                                                                            \
        PRAGMA(omp atomic)                                                                                             \
      wrong += 1;                                                                                                      \
      PRAGMA(omp barrier)                                                                                              \
      PRAGMA(omp for clause nowait)                                                                                    \
      for (int i = 0; i < N; ++i)                                                                                      \
        PRAGMA(omp atomic)                                                                                             \
      rounds += 1;                                                                                                     \
    }                                                                                                                  \
    CHECK("in a region: " #clause, wrong, 0);                                                                          \
    CHECK("in a region, nowait: " #clause, rounds, 4 * N);                                                             \
  } while (0)

int main(void) {
  GENERIC(schedule(dynamic, 3));
  GENERIC(schedule(guided));
  SPMD(schedule(dynamic));
  SPMD(schedule(dynamic, 7));
  SPMD(schedule(guided, 2));
  SPMD(schedule(runtime));
  return finish();
}
