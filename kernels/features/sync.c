// Synchronisation inside a team: barrier, single, masked, master, sections, critical, flush, locks.
#include "check.h"

enum { THREADS = 96, ROUNDS = 5 };

int main(void) {
  // barriers: what all wrote before one is seen by all behind it
  int slots[THREADS] = {0}, wrong = 0, members = 0;
#pragma omp target map(tofrom : slots, wrong, members)
#pragma omp parallel num_threads(THREADS)
  {
    int me = omp_get_thread_num(), team = omp_get_num_threads();
#pragma omp atomic
    members += 1;
    for (int round = 1; round <= ROUNDS; ++round) {
      slots[me] = round * 1000 + me;
#pragma omp barrier
      for (int other = 0; other < team; ++other)
        if (slots[other] != round * 1000 + other)
#pragma omp atomic
          wrong += 1;
#pragma omp barrier
    }
  }
  CHECK("barrier: values seen too early or late", wrong, 0);

  // single, masked, master, sections
  int singles = 0, masked = 0, filtered = 0, masters = 0, sections = 0, nowait = 0;
#pragma omp target map(tofrom : singles, masked, filtered, masters, sections, nowait)
#pragma omp parallel num_threads(THREADS)
  {
    for (int round = 0; round < ROUNDS; ++round) {
#pragma omp single
      singles += 1;
#pragma omp single nowait
      {
#pragma omp atomic
        nowait += 1;
      }
#pragma omp masked
      masked += omp_get_thread_num() == 0 ? 1 : 1000;
#pragma omp masked filter(2)
      filtered += omp_get_thread_num() == 2 ? 1 : 1000;
#pragma omp barrier
#pragma omp sections
      {
#pragma omp section
        {
#pragma omp atomic
          sections += 1;
        }
#pragma omp section
        {
#pragma omp atomic
          sections += 100;
        }
      }
    }
#pragma omp barrier
    if (omp_get_thread_num() == 0)
      masters += 1;
  }
  CHECK("single", singles, ROUNDS);
  CHECK("single nowait", nowait, ROUNDS);
  CHECK("masked", masked, ROUNDS);
  CHECK_THAT("masked filter(2)", filtered == ROUNDS || (filtered == 0 && members < 3));
  CHECK("sections", sections, 101 * ROUNDS);
  CHECK("thread 0", masters, 1);

  // critical, within a team and between teams, named and not
  int unnamed = 0, named = 0, between = 0;
#pragma omp target map(tofrom : unnamed, named)
#pragma omp parallel num_threads(THREADS)
  {
#pragma omp critical
    unnamed += 1;
#pragma omp critical(other)
    {
      int copy = named;
      named = copy + 1;
    }
  }
  CHECK("critical: each thread", unnamed, members);
  CHECK("critical with a name: each thread", named, members);
#pragma omp target teams distribute parallel for num_teams(4) thread_limit(64) map(tofrom : between)
  for (int i = 0; i < 500; ++i)
#pragma omp critical(teams)
    between += i;
  CHECK("critical between teams", between, 499 * 500 / 2);

  // flush: data, then a flag
  int data = 0, flag = 0, received = -1;
#pragma omp target map(tofrom : data, flag, received)
#pragma omp parallel num_threads(64)
  {
    if (omp_get_thread_num() == 0) {
      data = 4711;
#pragma omp flush
#pragma omp atomic write
      flag = 1;
    }
    if (omp_get_thread_num() == omp_get_num_threads() - 1) {
      int seen = 0;
      while (!seen) {
#pragma omp atomic read
        seen = flag;
      }
#pragma omp flush
      received = data;
    }
  }
  CHECK("flush: message", received, 4711);

  // locks
  int locked = 0, tries = 0;
#pragma omp target map(tofrom : locked, tries)
  {
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(THREADS)
    {
      omp_set_lock(&lock);
      locked += 1;
      omp_unset_lock(&lock);
      while (!omp_test_lock(&lock))
        ;
      tries += 1;
      omp_unset_lock(&lock);
    }
    omp_destroy_lock(&lock);
  }
  CHECK("lock: each thread", locked, members);
  CHECK("test_lock: each thread", tries, members);
  return finish();
}
