// Parallel regions three deep, inside regions of one thread, which leave all workers of a generic kernel idle, in numbers
// for which there are not enough, and with variables that other threads do not reach. With -DACTIVE it is an error if
// those inside a region of one thread have one thread. Every other check holds for serial ones, too.
#include "check.h"

enum { OUTER = 6, INNER = 5, TRIPS = 37 };

#pragma omp begin declare target
static int leaves(int depth, int width) {
  int sum = 0;
  if (depth == 0)
    return 1;
#pragma omp parallel num_threads(width) reduction(+ : sum)
  {
    int mine = leaves(depth - 1, width) * (omp_get_num_threads() > 1 ? 1 : width);
    sum += mine;
  }
  return sum;
}

// The variable behind `p` is the caller's own: other threads do not reach it, and GPUs have no atomic operations on it.
static void bump(int *p, int n) {
#pragma omp parallel for num_threads(3)
  for (int i = 0; i < n; ++i)
#pragma omp critical
    *p += i;
}

static void count(int *counter) {
#pragma omp atomic
  *counter += 1;
}

// Loops whose chunks are handed out while they run, of an inner team.
static void loops(int *hits, int *order) {
  int next = 0;
#pragma omp parallel num_threads(INNER)
  {
#pragma omp for schedule(dynamic, 2) nowait
    for (int i = 0; i < TRIPS; ++i)
      count(&hits[i]);
#pragma omp for schedule(guided) nowait
    for (int i = 0; i < TRIPS; ++i)
      count(&hits[i]);
#pragma omp for schedule(dynamic) ordered
    for (int i = 0; i < TRIPS; ++i) {
      count(&hits[i]);
#pragma omp ordered
      *order += next++ != i;
    }
  }
}
#pragma omp end declare target

int main(void) {
  // so that the host nests, too
  omp_set_max_active_levels(4);

  // three levels, each with a reduction
  int all = 0, alone = 0;
#pragma omp target map(tofrom : all, alone)
  {
    all = leaves(3, 3);
    alone = leaves(1, 3);
  }
  CHECK("leaves at three levels", all, 27);
  CHECK("leaves at one level", alone, 3);

  // inside a region of one thread all workers are idle
  int members = 0, size = 0, wrong = 0, under_if = 0;
#pragma omp target map(tofrom : members, size, wrong, under_if)
  {
#pragma omp parallel num_threads(1)
#pragma omp parallel num_threads(INNER)
    {
      if (omp_get_thread_num() == 0)
        size = omp_get_num_threads();
      count(&members);
      if (omp_get_level() != 2 || omp_get_team_size(1) != 1 || omp_get_ancestor_thread_num(1) != 0 ||
          omp_get_active_level() != (omp_get_num_threads() > 1))
        count(&wrong);
    }
#pragma omp parallel if (0)
#pragma omp parallel num_threads(4)
#pragma omp atomic
    under_if += omp_get_num_threads() == 4 ? 1 : 4;
#pragma omp parallel num_threads(OUTER)
#pragma omp parallel if (0)
#pragma omp parallel num_threads(2)
    {
      if (omp_get_level() != 3 || omp_get_team_size(2) != 1 || omp_get_ancestor_thread_num(2) != 0)
        count(&wrong);
    }
  }
  CHECK("threads that were not counted", members - size, 0);
  CHECK("wrong answers", wrong, 0);
  CHECK("threads under if(0)", under_if, 4);
#ifdef ACTIVE
  CHECK_THAT("a region inside one of one thread has all its threads", size == INNER || !offloads());
#endif

  // again and again, as many as there are threads for, a different number of times
  int started = 0, counted = 0, strangers = 0;
#pragma omp target map(tofrom : started, counted, strangers)
  {
    int limit = omp_get_thread_limit();
#pragma omp parallel num_threads(limit / 2)
    for (int i = 0; i <= omp_get_thread_num() % 4; ++i) {
      int me = omp_get_thread_num();
#pragma omp parallel num_threads(8) firstprivate(me)
      {
        count(&counted);
        if (omp_get_thread_num() == 0) {
#pragma omp atomic
          started += omp_get_num_threads();
        }
        if (omp_get_ancestor_thread_num(1) != me)
          count(&strangers);
      }
    }
  }
  CHECK("members that were not counted", counted - started, 0);
  CHECK("members of the wrong thread", strangers, 0);

  // variables of one thread alone
  int bumped = 0, lexical = 0;
#pragma omp target map(tofrom : bumped, lexical)
  {
    int base = omp_get_num_teams();
#pragma omp parallel num_threads(OUTER)
    {
      int mine = 0, other = omp_get_thread_num();
      bump(&mine, 10);
#pragma omp atomic
      bumped += mine * base;
#pragma omp parallel num_threads(3)
#pragma omp critical
      other += omp_get_num_threads() == 1 ? 3 : 1;
#pragma omp atomic
      lexical += other;
    }
  }
  CHECK("a variable of one thread, by address", bumped, 45 * OUTER);
  CHECK("a variable of one thread, captured", lexical, OUTER * (OUTER - 1) / 2 + 3 * OUTER);

  // loops whose chunks are handed out while they run
  static int hits[OUTER][TRIPS], order[OUTER];
#pragma omp target map(tofrom : hits, order)
  {
    int base = omp_get_num_teams();
#pragma omp parallel num_threads(OUTER)
    {
#pragma omp for schedule(dynamic)
      for (int i = 0; i < OUTER; ++i)
        loops(hits[i], &order[i]);
#pragma omp for schedule(dynamic)
      for (int i = 0; i < OUTER * base; ++i)
        order[i] += 100;
    }
  }
  int out_of_order = 0, incomplete = 0;
  for (int i = 0; i < OUTER; ++i) {
    out_of_order += order[i] != 100;
    for (int k = 0; k < TRIPS; ++k)
      incomplete += hits[i][k] != 3;
  }
  CHECK("inner loops out of order", out_of_order, 0);
  CHECK("iterations of inner loops not run once", incomplete, 0);

  // max-active-levels-var
  int limited = 0, levels = 0;
#pragma omp target map(tofrom : limited, levels)
  {
    int locals = 0;
    omp_set_max_active_levels(1);
    levels = omp_get_max_active_levels();
#pragma omp parallel num_threads(OUTER)
    {
#pragma omp parallel num_threads(INNER)
      {
        if (omp_get_num_threads() != 1)
          count(&limited);
      }
#pragma omp atomic
      locals += 1;
    }
    limited += locals - OUTER;
    omp_set_max_active_levels(4);
  }
  CHECK("one active level", levels, 1);
  CHECK("inner regions that max-active-levels forbids", limited, 0);
  return finish();
}
