// Loops in a region: schedules that the program sets, loops without barriers in between, threads that go on only when the
// loop is over; sections.
#include "check.h"
#include "iterations.h"

enum { BIG = 3000 };

static int hit[4][BIG], early[4], level[4], wrong[4];

enum { VISITS = 1003 };

// Loops whose body is a function, as flang calls them: chunk sizes of teams and threads, 0 for any.
#pragma omp begin declare target
#ifdef __NVPTX__
typedef void Body(unsigned, void *);
void __kmpc_for_static_loop_4u(void *, Body *, void *, unsigned, unsigned, unsigned, signed char);
void __kmpc_distribute_static_loop_4u(void *, Body *, void *, unsigned, unsigned, signed char);
void __kmpc_distribute_for_static_loop_4u(void *, Body *, void *, unsigned, unsigned, unsigned, unsigned, signed char);

static void visit(unsigned i, void *count) {
#pragma omp atomic
  ((int *)count)[i] += 1;
}
#endif
// Every team visits each index once, and all teams together once more.
static void callbacks(int *count, unsigned chunk) {
#ifdef __NVPTX__
  unsigned threads = omp_get_num_threads();
  __kmpc_for_static_loop_4u(0, visit, count, VISITS, threads, chunk, 0);
  __kmpc_distribute_for_static_loop_4u(0, visit, count, VISITS, threads, 7 * chunk, chunk, 0);
  if (omp_get_thread_num() == 0)
    __kmpc_distribute_static_loop_4u(0, visit, count, VISITS, chunk, 0);
#else
  if (omp_get_thread_num() == 0)
    for (int i = 0; i < VISITS; ++i)
#pragma omp atomic
      count[i] += omp_get_team_num() == 0 ? 3 : 1;
#endif
}
#pragma omp end declare target

static int count[7][VISITS];

int main(void) {
  // run-sched-var of the initial task and of the tasks of a region
  int kinds = 1;
  clear();
#pragma omp target map(tofrom : hits, kinds)
  {
    omp_set_schedule(omp_sched_guided, 3);
#pragma omp parallel num_threads(64)
    {
#pragma omp for schedule(runtime) nowait
      for (int i = 0; i < N / 4; ++i)
        hits[i] += 1;
      omp_set_schedule(omp_sched_dynamic, 2);
#pragma omp for schedule(runtime) nowait
      for (int i = N / 4; i < N / 2; ++i)
        hits[i] += 1;
      omp_set_schedule(omp_sched_static | omp_sched_monotonic, 5);
#pragma omp for schedule(monotonic : runtime)
      for (int i = N / 2; i < N; ++i) {
        hits[i] += 1;
        if ((i - N / 2) / 5 % omp_get_num_threads() != omp_get_thread_num())
#pragma omp atomic write
          kinds = 0;
      }
    }
    omp_sched_t kind;
    int chunk;
    omp_get_schedule(&kind, &chunk);
    if (kind != omp_sched_guided || chunk != 3)
      kinds = 0;
  }
  CHECK("schedule(runtime) by omp_set_schedule", once(N), 1);
  // The host's runtime takes the schedule that was set before the region.
  CHECK_THAT("schedule(runtime), static: whose chunk it is", kinds || !offloads());

  int more = 0;
  // many loops without a barrier, in teams of different sizes one after the other
  for (int threads = 5; threads <= 100; threads += 31) {
    long total = 0;
#pragma omp target map(tofrom : total)
#pragma omp parallel num_threads(threads) reduction(+ : total)
    for (int loop = 0; loop < 40; ++loop) {
#pragma omp for schedule(dynamic) nowait
      for (int i = 0; i < 37; ++i)
        total += i;
      if (loop % 4 == 1) {
#pragma omp for schedule(guided, 2) nowait
        for (int i = 0; i < loop; ++i)
          total += 1;
      }
    }
    more += total == 40 * 666 + 10 * 19;
  }
  CHECK("loops without a barrier", more, 4);

  // The main thread goes on when the loop is over, and not before.
#pragma omp target teams num_teams(4) thread_limit(128) map(tofrom : hit, early, level, wrong)
  {
    int t = omp_get_team_num(), done = 0, bad = 0;
#pragma omp parallel for schedule(dynamic, 3) shared(done, bad)
    for (int i = 0; i < BIG; i++) {
#pragma omp atomic
      hit[t][i]++;
      if (omp_get_level() != 1) {
#pragma omp atomic
        bad++;
      }
#pragma omp atomic
      done++;
    }
    early[t] = BIG - done;
    wrong[t] = bad;
    level[t] = omp_get_level();
  }
  int visits = 0, others = 0;
  // The host may give fewer teams than 4.
  for (int t = 0; t < 4; ++t)
    if (hit[t][0]) {
      for (int i = 0; i < BIG; ++i)
        visits += hit[t][i] != 1;
      others += (early[t] != 0) + (level[t] != 0) + (wrong[t] != 0);
    }
  CHECK("iterations of a generic kernel that did not run once", visits, 0);
  CHECK("threads that left too early", others, 0);

  // sections
  int parts[5] = {0, 0, 0, 0, 0};
  int last = 0;
#pragma omp target parallel num_threads(3) map(tofrom : parts, last)
  {
#pragma omp sections nowait
    {
#pragma omp section
#pragma omp atomic
      parts[0] += 1;
#pragma omp section
#pragma omp atomic
      parts[1] += 1;
    }
#pragma omp sections lastprivate(last)
    {
      last = parts[2] = 1;
#pragma omp section
      last = parts[3] = 2;
#pragma omp section
      last = 3;
#pragma omp section
      last = parts[4] = 4;
    }
  }
  CHECK("sections", parts[0] * 10000 + parts[1] * 1000 + parts[2] * 100 + parts[3] * 10 + parts[4], 11124);
  CHECK("lastprivate of sections", last, 4);
  // loops with a function as body
  int bad = 0, leagues = 0;
#pragma omp target teams num_teams(3) thread_limit(96) map(tofrom : count, leagues)
  {
    if (omp_get_team_num() == 0)
      leagues = omp_get_num_teams();
#pragma omp parallel num_threads(96)
    for (int chunk = 0; chunk < 7; ++chunk)
      callbacks(count[chunk], chunk);
  }
  for (int chunk = 0; chunk < 7; ++chunk)
    for (int i = 0; i < VISITS; ++i)
      bad += count[chunk][i] != leagues + 2;
  CHECK("loops with a function as body", bad, 0);
  return finish();
}
