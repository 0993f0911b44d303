// num_threads of every awkward size, in regions with a serial part, in parallel target regions and in combined loops:
// each thread once, barriers that hold, each iteration once. A team may be smaller than asked for, never larger.
#include "check.h"

enum { MOST = 128, N = 777 };

static const int sizes[] = {1, 2, 5, 16, 31, 32, 33, 48, 63, 64, 65, 96, 127, 128};

static int once(const int *hits, int n, int rest) {
  for (int i = 0; i < n; ++i)
    if (hits[i] != 1)
      return 0;
  for (int i = n; i < rest; ++i)
    if (hits[i] != 0)
      return 0;
  return 1;
}

// Regions of a team with few threads, or without a worker beside the thread of serial code, and regions inside them.
#define WITHIN(limit)                                                                                                  \
  do {                                                                                                                 \
    int count = 0, threads = 0, level = 0, inner = 0, inner_level = 0, alone = 0;                                      \
    PRAGMA(omp target teams num_teams(1) thread_limit(limit) map(tofrom : count, threads, level, inner)                \
               map(tofrom : inner_level, alone))                                                                       \
    {                                                                                                                  \
      int shared = 1;                                                                                                  \
      PRAGMA(omp parallel num_threads(64))                                                                             \
      {                                                                                                                \
        PRAGMA(omp atomic) count += shared;                                                                            \
        if (omp_get_thread_num() == 0)                                                                                 \
          threads = omp_get_num_threads(), level = omp_get_level();                                                    \
        PRAGMA(omp parallel num_threads(2))                                                                            \
        {                                                                                                              \
          PRAGMA(omp atomic) inner += 1;                                                                               \
          if (omp_get_thread_num() == 0)                                                                               \
            PRAGMA(omp atomic write) inner_level = omp_get_level();                                                    \
        }                                                                                                              \
      }                                                                                                                \
      shared += count;                                                                                                 \
      PRAGMA(omp parallel num_threads(64) if (shared == 0))                                                            \
      alone += omp_get_num_threads() == 1 && omp_get_level() == 1 && !omp_in_parallel();                               \
    }                                                                                                                  \
    CHECK_THAT("thread_limit(" #limit "): a thread each", count >= 1 && count <= limit && count == threads);           \
    CHECK_THAT("thread_limit(" #limit "): levels", level == 1 && inner_level == 2);                                    \
    CHECK_THAT("thread_limit(" #limit "): regions inside", inner >= count && inner <= 2 * count);                      \
    CHECK("thread_limit(" #limit "): if(0)", alone, 1);                                                                \
  } while (0)

#pragma omp begin declare target
// What each thread of a team does: it is counted, waits, must then see the others' writes, and takes its part of a loop.
static void member(int *ids, int *before, int *missed, int *loop) {
  int me = omp_get_thread_num(), team = omp_get_num_threads();
  ids[me] += 1;
#pragma omp atomic
  *before += 1;
#pragma omp barrier
  int seen;
#pragma omp atomic read
  seen = *before;
  if (seen != team || ids[(me + 1) % team] != 1)
#pragma omp atomic
    *missed += 1;
#pragma omp for schedule(static, 3)
  for (int i = 0; i < N; ++i)
    loop[i] += 1;
#pragma omp for
  for (int i = 0; i < N; ++i)
    if (loop[N - 1 - i] != 1) // the first loop is complete behind its barrier
#pragma omp atomic
      *missed += 1;
}
#pragma omp end declare target

int main(void) {
  int n = sizeof sizes / sizeof *sizes;
  int bad_ids = 0, bad_size = 0, missed_all = 0, bad_loop = 0;
  for (int s = 0; s < n; ++s) {
    int ids[MOST] = {0}, loop[N] = {0}, before = 0, missed = 0, team = 0, want = sizes[s], serial = 0;
#pragma omp target map(tofrom : ids, loop, before, missed) map(from : team, serial) thread_limit(MOST)
    {
      int locals = 7;
#pragma omp parallel num_threads(want)
      {
        if (omp_get_thread_num() == 0)
          team = omp_get_num_threads() + locals - 7;
        member(ids, &before, &missed, loop);
      }
      serial = locals;
    }
    bad_ids += !once(ids, team, MOST);
    bad_size += team < 1 || team > want || before != team || serial != 7;
    missed_all += missed;
    bad_loop += !once(loop, N, N);
  }
  CHECK("serial part: sizes with a wrong set of threads", bad_ids, 0);
  CHECK("serial part: team sizes out of range", bad_size, 0);
  CHECK("serial part: threads that passed a barrier early", missed_all, 0);
  CHECK("serial part: sizes with an incomplete loop", bad_loop, 0);

  bad_ids = bad_size = missed_all = bad_loop = 0;
  for (int s = 0; s < n; ++s) {
    int ids[MOST] = {0}, loop[N] = {0}, before = 0, missed = 0, team = 0, want = sizes[s];
#pragma omp target parallel num_threads(want) map(tofrom : ids, loop, before, missed, team)
    {
      if (omp_get_thread_num() == 0)
        team = omp_get_num_threads();
      member(ids, &before, &missed, loop);
    }
    bad_ids += !once(ids, team, MOST);
    bad_size += team < 1 || team > want || before != team;
    missed_all += missed;
    bad_loop += !once(loop, N, N);
  }
  CHECK("target parallel: sizes with a wrong set of threads", bad_ids, 0);
  CHECK("target parallel: team sizes out of range", bad_size, 0);
  CHECK("target parallel: threads that passed a barrier early", missed_all, 0);
  CHECK("target parallel: sizes with an incomplete loop", bad_loop, 0);

  bad_loop = bad_size = 0;
  for (int s = 0; s < n; ++s) {
    int loop[N] = {0}, want = sizes[s], too_large = 0;
#pragma omp target teams distribute parallel for num_teams(3) num_threads(want) map(tofrom : loop, too_large)
    for (int i = 0; i < N; ++i) {
      loop[i] += 1;
      if (omp_get_num_threads() > want)
#pragma omp atomic
        too_large += 1;
    }
    bad_loop += !once(loop, N, N);
    bad_size += too_large;
  }
  CHECK("combined: sizes with an incomplete loop", bad_loop, 0);
  CHECK("combined: teams that are too large", bad_size, 0);

  // two regions of different size in one kernel, and thread_limit below num_threads
  int small = 0, large = 0, limited = 0;
#pragma omp target map(tofrom : small, large) thread_limit(MOST)
  {
#pragma omp parallel num_threads(33)
#pragma omp atomic
    small += 1;
#pragma omp parallel num_threads(96)
#pragma omp atomic
    large += 1;
  }
  CHECK_THAT("33 then 96 threads", small >= 1 && small <= 33 && large >= small && large <= 96);
#pragma omp target teams num_teams(1) thread_limit(32) map(tofrom : limited)
#pragma omp parallel num_threads(96)
#pragma omp atomic
  limited += 1;
  CHECK_THAT("thread_limit(32) bounds num_threads(96)", limited >= 1 && limited <= 32);
  WITHIN(1);
  WITHIN(32);
  WITHIN(33);
  return finish();
}
