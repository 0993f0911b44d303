// Locks under contention: critical sections, simple and nestable locks, by many threads of many teams, by lanes of one warp
// and in divergent code.
#include "check.h"

#ifdef __NVPTX__
// What host code calls for reductions. No device compiler does today; the device has the functions all the same.
typedef int critical_name[8];
int __kmpc_reduce_nowait(void *, int, int, long, void *, void (*)(void *, void *), critical_name *);
void __kmpc_end_reduce_nowait(void *, int, critical_name *);
#endif

#pragma omp begin declare target
static omp_lock_t lock_of_all;
static omp_nest_lock_t nest_of_all;
static int name_of_reduction[8];
#pragma omp end declare target

// The sum is changed with two accesses, so that a lock that does not exclude loses something.
static inline void bump(int *p) {
  volatile int *q = p;
  int seen = *q;
  *q = seen + 1;
}
#pragma omp declare target(bump)

// Code that is not optimised takes long to wait: then the teams are smaller by this factor.
#ifndef SMALLER
#define SMALLER 1
#endif
enum { TEAMS = 8, ROUNDS = 2 };

int main(void) {
  const int wide = offloads() ? 256 / SMALLER : 4;
  int runs = 0, critical = 0, hinted = 0, simple = 0, nested = 0, tested = 0, reduced = 0, divergent = 0, branches = 0;
#pragma omp target
  {
    omp_init_lock_with_hint(&lock_of_all, omp_sync_hint_contended);
    omp_init_nest_lock(&nest_of_all);
  }
#pragma omp target teams num_teams(TEAMS) thread_limit(wide)                                                          \
    map(tofrom : runs, critical, hinted, simple, nested, tested, reduced, divergent, branches)
#pragma omp parallel num_threads(wide)
  for (int round = 0; round < ROUNDS; ++round) {
#pragma omp atomic
    runs += 1;
#pragma omp critical(one)
    bump(&critical);
#pragma omp critical(two) hint(omp_sync_hint_uncontended)
    bump(&hinted);
    omp_set_lock(&lock_of_all);
    bump(&simple);
    omp_unset_lock(&lock_of_all);
    omp_set_nest_lock(&nest_of_all);
    omp_set_nest_lock(&nest_of_all);
    bump(&nested);
    omp_unset_nest_lock(&nest_of_all);
    if (omp_test_nest_lock(&nest_of_all) == 2)
      bump(&nested);
    omp_unset_nest_lock(&nest_of_all);
    omp_unset_nest_lock(&nest_of_all);
    while (!omp_test_lock(&lock_of_all))
      ;
    bump(&tested);
    omp_unset_lock(&lock_of_all);
#ifdef __NVPTX__
    if (__kmpc_reduce_nowait(0, 0, 1, 4, 0, 0, &name_of_reduction))
      bump(&reduced);
    __kmpc_end_reduce_nowait(0, 0, &name_of_reduction);
#else
#pragma omp critical(three)
    bump(&reduced);
#endif
    // lanes of one warp in different branches
    switch (omp_get_thread_num() % 4) {
    case 0:
#pragma omp critical(one)
      bump(&divergent);
      break;
    case 1:
      for (int i = 0; i < omp_get_thread_num() % 3; ++i) {
#pragma omp atomic
        branches += 1;
#pragma omp critical(one)
        bump(&divergent);
      }
    // fall through
    case 2:
#pragma omp critical(one)
      {
        omp_set_lock(&lock_of_all);
        bump(&divergent);
        omp_unset_lock(&lock_of_all);
      }
    }
#pragma omp atomic
    branches += omp_get_thread_num() % 4 != 3;
  }
  CHECK_THAT("all ran", runs > 0 && runs % ROUNDS == 0);
  CHECK("critical", critical - runs, 0);
  CHECK("critical with a hint", hinted - runs, 0);
  CHECK("lock", simple - runs, 0);
  CHECK("nestable lock", nested - 2 * runs, 0);
  CHECK("test_lock", tested - runs, 0);
  CHECK("reduction in the host's form", reduced - runs, 0);
  CHECK("critical in branches", divergent - branches, 0);

  // one team as wide as a block can be
  int full = 0, team = 0;
  const int most = offloads() ? 1024 / SMALLER : 8;
#pragma omp target teams num_teams(1) thread_limit(most) map(tofrom : full, team)
#pragma omp parallel num_threads(most)
  {
    if (omp_get_thread_num() == 0)
      team = omp_get_num_threads();
#pragma omp critical
    bump(&full);
  }
  CHECK("one wide team", full - team, 0);

  // critical inside simd, and what a lock says
  int simd = 0, said[8] = {0};
#pragma omp target map(tofrom : simd, said)
  {
#pragma omp parallel for simd num_threads(wide)
    for (int i = 0; i < 500; ++i) {
#pragma omp ordered simd
      {
#pragma omp critical
        bump(&simd);
      }
    }
    omp_lock_t lock;
    omp_init_lock(&lock);
    said[0] = omp_test_lock(&lock) != 0;
    said[1] = omp_test_lock(&lock) != 0;
    omp_unset_lock(&lock);
    said[2] = omp_test_lock(&lock) != 0;
    omp_unset_lock(&lock);
    omp_destroy_lock(&lock);
    omp_nest_lock_t nest;
    omp_init_nest_lock_with_hint(&nest, omp_sync_hint_none);
    said[3] = omp_test_nest_lock(&nest);
    omp_set_nest_lock(&nest);
    said[4] = omp_test_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
    said[5] = omp_test_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
    omp_destroy_nest_lock(&nest);
  }
  CHECK("critical in simd", simd, 500);
  CHECK("test_lock: free, held, free again", said[0] * 100 + said[1] * 10 + said[2], 101);
  CHECK("test_nest_lock: counts", said[3] * 100 + said[4] * 10 + said[5], 131);

  // held by one thread, so not free for the others
  int others = 0;
#pragma omp target map(tofrom : others)
  {
    omp_nest_lock_t nest;
    omp_init_nest_lock(&nest);
#pragma omp parallel num_threads(64)
    {
      if (omp_get_thread_num() == 0)
        omp_set_nest_lock(&nest);
#pragma omp barrier
      if (omp_get_thread_num() != 0) {
#pragma omp atomic
        others += omp_test_nest_lock(&nest);
      }
#pragma omp barrier
      if (omp_get_thread_num() == 0)
        omp_unset_nest_lock(&nest);
    }
  }
  CHECK("test_nest_lock of others", others, 0);
  return finish();
}
