// Parallel regions inside parallel regions on the threads that the outer region leaves idle: in a generic kernel the inner
// regions are teams of their own. With -DACTIVE it is an error if they are not. Every check holds for serial ones, too.
#include "check.h"

enum { OUTER = 6, INNER = 5, N = 100 };

#pragma omp begin declare target
typedef struct {
  int size, ids, wrong, before, missed, singles, masters, sum, locked, loop[N];
  double product;
} Part;

static void count(int *counter) {
#pragma omp atomic
  *counter += 1;
}

// What every thread of an inner team must see. `up` is the number of its outer thread.
static void ask(Part *p, int up, int outer_size) {
  int me = omp_get_thread_num(), size = omp_get_num_threads();
  if (me == 0)
    p->size = size;
#pragma omp atomic
  p->ids |= 1 << me;
  if (omp_get_level() != 2 || omp_get_ancestor_thread_num(1) != up || omp_get_team_size(1) != outer_size ||
      omp_get_ancestor_thread_num(2) != me || omp_get_team_size(2) != size || omp_get_ancestor_thread_num(0) != 0 ||
      omp_get_team_size(0) != 1 || omp_get_team_size(3) != -1 || omp_get_active_level() != (outer_size > 1) + (size > 1) ||
      me < 0 || me >= size)
    count(&p->wrong);
}

// All constructs of a team, in an inner region whose variables are in shared memory.
static void constructs(Part *p, int up, int outer_size) {
  int sum = 0, locked = 0;
  double product = 1;
#pragma omp parallel num_threads(INNER) reduction(+ : sum) reduction(* : product)
  {
    int size = omp_get_num_threads();
    ask(p, up, outer_size);
    for (int round = 1; round <= 3; ++round) {
      count(&p->before);
#pragma omp barrier
      int seen;
#pragma omp atomic read
      seen = p->before;
      if (seen != round * size)
        count(&p->missed);
#pragma omp barrier
    }
#pragma omp single
    p->singles += 1;
#pragma omp masked
    p->masters += 1;
    for (int i = 0; i < 4; ++i)
#pragma omp critical
      locked += 1;
#pragma omp for schedule(static, 3)
    for (int i = 0; i < N; ++i) {
      p->loop[i] += 1;
      sum += i;
      if (i % 10 == 0)
        product *= 2;
    }
#pragma omp for
    for (int i = 0; i < N; ++i)
      if (p->loop[N - 1 - i] != 1) // the first loop is complete behind its barrier
        count(&p->missed);
  }
  p->sum += sum;
  p->product += product;
  p->locked += locked;
}

#pragma omp end declare target

static int part_is_wrong(const Part *p) {
  int wrong = p->wrong != 0 || p->ids != (1 << p->size) - 1 || p->before != 3 * p->size || p->missed != 0 ||
              p->singles != 1 || p->masters != 1 || p->locked != 4 * p->size || p->sum != N * (N - 1) / 2 ||
              p->product != 1024;
  for (int i = 0; i < N; ++i)
    wrong |= p->loop[i] != 1;
  return wrong;
}

int main(void) {
  static Part parts[OUTER];
  int active = 0, wrong = 0;
  // so that the host nests, too
  omp_set_max_active_levels(4);

#pragma omp target map(tofrom : parts)
  {
    int size = 0;
#pragma omp parallel num_threads(OUTER)
    {
      size = omp_get_num_threads();
#pragma omp barrier
      constructs(&parts[omp_get_thread_num()], omp_get_thread_num(), size);
    }
  }
  for (int i = 0; i < OUTER; ++i) {
    wrong += part_is_wrong(&parts[i]);
    active += parts[i].size == INNER;
  }
  CHECK("inner teams with a wrong answer", wrong, 0);
#ifdef ACTIVE
  CHECK_THAT("inner teams have all their threads", active == OUTER || !offloads());
#endif

  // Nothing holds the threads together: one that is done early must not take part a second time.
  int hits[N] = {0};
  wrong = 0;
#pragma omp target map(tofrom : hits, wrong)
  {
    int alone = wrong == 0;
#pragma omp parallel if (!alone)
    {
#pragma omp parallel
      {
#pragma omp for schedule(dynamic) nowait
        for (int i = 0; i < N; ++i)
          count(&hits[i]);
      }
    }
  }
  for (int i = 0; i < N; ++i)
    wrong += hits[i] != 1;
  CHECK("iterations of an inner loop without a barrier", wrong, 0);
  return finish();
}
