// Cancellation of parallel regions, loops, sections and taskgroups: first with cancel-var false, then the program starts itself again
// with OMP_CANCELLATION=true. On the host it stays false: there a thread that cancels right behind a barrier makes LLVM 22's
// runtime hang.
#include "check.h"
#include <stdlib.h>
#include <unistd.h>

enum { N = 1000, ROUNDS = 3, MOST = 64 };
static int threads_wanted; // of a team

static void parallel_regions(int on) {
  int started = 0, behind = 0, team = 0, wrong = 0;
#pragma omp target map(tofrom : started, behind, team, wrong)
  for (int round = 0; round < ROUNDS; ++round) {
    // one thread cancels, the others wait for it
#pragma omp parallel num_threads(threads_wanted)
    {
      if (omp_get_thread_num() == 0)
        team += omp_get_num_threads();
#pragma omp atomic
      started += 1;
      if (omp_get_thread_num() == 1 || omp_get_num_threads() == 1) {
#pragma omp cancel parallel
      } else {
        for (int waits = on; waits;) {
#pragma omp cancellation point parallel
        }
      }
#pragma omp atomic
      behind += 1;
    }
    // the next region is not cancelled: barriers wait for all
    int slots[MOST];
#pragma omp parallel num_threads(threads_wanted)
    {
      int me = omp_get_thread_num(), threads = omp_get_num_threads();
      for (int step = 0; step < 3; ++step) {
        slots[me] = step;
#pragma omp barrier
        if (slots[(me + 1) % threads] != step)
#pragma omp atomic
          wrong += 1;
#pragma omp barrier
      }
#pragma omp cancellation point parallel
    }
  }
  CHECK("parallel: all started", started - team, 0);
  CHECK("parallel: threads behind the cancellation", on ? behind : behind - team, 0);
  CHECK("parallel: the region behind it", wrong, 0);

  // those who meet no cancellation point go on, with barriers that still work
  int early = 0, left = 0;
#pragma omp target map(tofrom : early, left)
  {
    int slots[MOST];
#pragma omp parallel num_threads(threads_wanted)
    {
      int me = omp_get_thread_num(), threads = omp_get_num_threads();
      slots[me] = -1;
#pragma omp barrier
      if (me % 8 == 5) {
#pragma omp atomic
        left += 1;
#pragma omp cancel parallel
#pragma omp atomic
        left -= 1;
      }
      for (int step = 0; step < 5; ++step) {
#pragma omp atomic write
        slots[me] = step;
#pragma omp barrier
        int next = (me + 1) % threads, seen;
        if (next % 8 == 5)
          next = (next + 1) % threads;
#pragma omp atomic read
        seen = slots[next];
        if (seen != step && next % 8 != 5)
#pragma omp atomic
          early += 1;
#pragma omp barrier
      }
    }
  }
  CHECK("parallel: barriers without those who left", early, 0);
  CHECK_THAT("parallel: those who left", on ? left >= 0 : left == 0);

  // a reduction over a cancelled region has no value, but an end
  int sum = 0, after = 0;
#pragma omp target map(tofrom : sum, after)
  {
#pragma omp parallel num_threads(threads_wanted) reduction(+ : sum)
    {
      sum += 1;
      if (omp_get_thread_num() == 2) {
#pragma omp cancel parallel
      }
    }
    after = 1;
  }
  CHECK("parallel: the end of a cancelled reduction", after, 1);
}

static void loops(int on) {
  int behind = 0, passes = 0, again = 0, found = -1, bodies = 0;
#pragma omp target map(tofrom : behind, passes, again, found, bodies)
#pragma omp parallel num_threads(threads_wanted)
  for (int round = 0; round < ROUNDS; ++round) {
    // the first iteration cancels, the others wait
#pragma omp for schedule(static, 1)
    for (int i = 0; i < threads_wanted; ++i) {
      if (i == 0) {
#pragma omp cancel for
      } else if (omp_get_thread_num() != 0) {
        for (int waits = on; waits;) {
#pragma omp cancellation point for
        }
      }
#pragma omp atomic
      behind += 1;
    }
#pragma omp atomic
    passes += 1;
    // not cancelled, although the one before was
#pragma omp for
    for (int i = 0; i < N; ++i) {
#pragma omp cancellation point for
#pragma omp atomic
      again += 1;
    }
    // a search
#pragma omp for
    for (int i = 0; i < N; ++i) {
#pragma omp atomic
      bodies += 1;
      if (i == 777) {
#pragma omp atomic write
        found = i;
#pragma omp cancel for
      }
#pragma omp cancellation point for
    }
  }
  CHECK("for: iterations behind the cancellation", on ? behind : behind - ROUNDS * threads_wanted, 0);
  CHECK_THAT("for: threads behind the loop", passes > 0 && passes % ROUNDS == 0);
  CHECK("for: the loop behind it", again, ROUNDS * N);
  CHECK("for: found", found, 777);
  CHECK_THAT("for: bodies", on ? bodies >= ROUNDS && bodies <= ROUNDS * N : bodies == ROUNDS * N);

  // chunks that are handed out: the next loops are whole
  int some = 0, all = 0;
#pragma omp target map(tofrom : some, all)
#pragma omp parallel num_threads(threads_wanted)
  for (int round = 0; round < 2 * ROUNDS; ++round) {
#pragma omp for schedule(dynamic, 3)
    for (int i = 0; i < N; ++i) {
      if (i == 10) {
#pragma omp cancel for
      }
#pragma omp cancellation point for
#pragma omp atomic
      some += 1;
    }
#pragma omp for schedule(dynamic, 3) nowait
    for (int i = 0; i < N; ++i) {
#pragma omp atomic
      all += 1;
    }
#pragma omp for schedule(guided)
    for (int i = 0; i < N; ++i) {
#pragma omp atomic
      all += 1;
    }
  }
  CHECK_THAT("dynamic: iterations of the cancelled loop", on ? some < 2 * ROUNDS * N : some == 2 * ROUNDS * N);
  CHECK("dynamic: iterations of the others", all, 4 * ROUNDS * N);

  int hits = 0, outside = 0;
#pragma omp target teams distribute parallel for num_teams(4) thread_limit(64) map(tofrom : hits, outside)
  for (int i = 0; i < N; ++i) {
    if (i == 3) {
#pragma omp cancel for
#pragma omp atomic
      outside += 1;
    }
#pragma omp atomic
    hits += 1;
  }
  CHECK_THAT("distribute parallel for: the cancelled iteration", outside == !on);
  CHECK_THAT("distribute parallel for: hits", on ? hits < N : hits == N);
}

static void sections(int on) {
  int first = 0, behind = 0, again = 0, passes = 0;
#pragma omp target map(tofrom : first, behind, again, passes)
#pragma omp parallel num_threads(threads_wanted)
  for (int round = 0; round < ROUNDS; ++round) {
#pragma omp sections
    {
#pragma omp section
      {
#pragma omp atomic
        first += 1;
#pragma omp cancel sections
#pragma omp atomic
        behind += 1;
      }
#pragma omp section
      {
        if (omp_get_num_threads() > 1 && omp_get_thread_num() != 0)
          for (int waits = on; waits;) {
#pragma omp cancellation point sections
          }
#pragma omp atomic
        behind += 1000;
      }
    }
#pragma omp sections
    {
#pragma omp section
      {
#pragma omp cancellation point sections
#pragma omp atomic
        again += 1;
      }
#pragma omp section
      {
#pragma omp atomic
        again += 100;
      }
    }
#pragma omp atomic
    passes += 1;
  }
  CHECK_THAT("sections: the first one", on ? first >= 1 && first <= ROUNDS : first == ROUNDS);
  CHECK_THAT("sections: behind the cancellation", on ? behind % 1000 == 0 : behind == ROUNDS * 1001);
  CHECK("sections: those behind it", again, 101 * ROUNDS);
  CHECK_THAT("sections: threads behind them", passes > 0 && passes % ROUNDS == 0);
}

static void teams_of_one(int on) {
  int region = 0, loop = 0, outside = 0;
#pragma omp target map(tofrom : region, loop, outside)
  {
#pragma omp parallel num_threads(1)
    {
#pragma omp cancel parallel
      region = 1;
    }
#pragma omp parallel if (0)
    {
#pragma omp for
      for (int i = 0; i < 10; ++i) {
        if (i == 4) {
#pragma omp cancel for
        }
        loop += 1;
      }
    }
    outside = omp_get_cancellation();
  }
  CHECK_THAT("a team of one: behind cancel parallel", region == !on);
  CHECK_THAT("a team of one: iterations", loop == (on ? 4 : 10));
  CHECK_THAT("omp_get_cancellation", outside == on);
}

static void taskgroups(int on) {
  int started = 0, behind = 0, next = 0;
#pragma omp target map(tofrom : started, behind, next)
  {
#pragma omp taskgroup
    {
      for (int i = 0; i < 10; ++i) {
#pragma omp task shared(started, behind, next)
        {
#pragma omp atomic
          started += 1;
#pragma omp cancel taskgroup
#pragma omp atomic
          behind += 1;
        }
      }
    }
#pragma omp taskgroup
    {
#pragma omp task shared(started, behind, next)
      next += 1;
    }
  }
  CHECK_THAT("taskgroup: started tasks", on ? started >= 1 && started < 10 : started == 10);
  CHECK_THAT("taskgroup: behind the cancellation", behind == (on ? 0 : 10));
  CHECK("taskgroup: the next one", next, 1);
}

int main(int argc, char **argv) {
  (void)argv;
  int device = offloads(), again = argc > 1, on = again && device;
  threads_wanted = device ? MOST : 4;
  parallel_regions(on);
  loops(on);
  sections(on);
  teams_of_one(on);
  taskgroups(on);
  int code = finish();
  if (again || code)
    return code;
  fflush(stdout);
  if (device)
    setenv("OMP_CANCELLATION", "true", 1);
  execl("/proc/self/exe", "cancel", "again", (char *)0);
  return 2;
}
