// What tasks that are not done at once have from where they were made: their taskgroup, also where regions inside of it have
// tasks of their own; their ICVs; and events of tasks that a cancelled group discards, which may be fulfilled all the same.
#include "check.h"
#include <stdlib.h>
#include <unistd.h>

// A group ends when its own tasks are done, and not those of the group around it.
static void groups(void) {
  int order[4] = {0}, count = 0;
#pragma omp target map(tofrom : order, count)
#pragma omp parallel num_threads(2)
#pragma omp masked
  {
    omp_event_handle_t outer;
#pragma omp taskgroup
    {
#pragma omp task detach(outer) shared(order, count)
      order[count++] = 1;
#pragma omp taskgroup
      {
#pragma omp parallel num_threads(1) shared(order, count)
        {
          omp_event_handle_t inner;
#pragma omp task detach(inner) shared(order, count)
          order[count++] = 2;
          omp_fulfill_event(inner);
        }
      }
      order[count++] = 3;
      omp_fulfill_event(outer);
    }
    order[count++] = 4;
  }
  int wrong = 0;
  for (int i = 0; i < 4; ++i)
    wrong += order[i] != i + 1;
  CHECK("tasks of groups in a region", count, 4);
  CHECK_THAT("their order, where threads run their own tasks", !wrong || !offloads());

  int done = 0;
#pragma omp target map(tofrom : done)
  {
    omp_event_handle_t outer;
#pragma omp taskgroup
    {
#pragma omp task detach(outer)
      {
      }
#pragma omp taskgroup
      {
#pragma omp parallel num_threads(4)
        {
          omp_event_handle_t inner;
#pragma omp task detach(inner)
          {
          }
          omp_fulfill_event(inner);
        }
      }
      done = 1;
      omp_fulfill_event(outer);
    }
  }
  CHECK("groups in serial code", done, 1);
}

static void icvs(void) {
  int held[2] = {0}, free = 0, after = 0;
#pragma omp target map(tofrom : held, free, after)
#pragma omp parallel num_threads(32)
#pragma omp masked
  {
    omp_event_handle_t event;
    int x = 0;
    omp_set_num_threads(4);
    omp_set_schedule(omp_sched_dynamic, 5);
#pragma omp task detach(event) depend(out : x)
    {
    }
#pragma omp task depend(in : x) shared(held)
    {
      omp_sched_t kind;
      held[0] = omp_get_max_threads();
      omp_get_schedule(&kind, &held[1]);
      omp_set_num_threads(9);
    }
    omp_set_num_threads(7);
    omp_set_schedule(omp_sched_dynamic, 6);
#pragma omp task shared(free)
    free = omp_get_max_threads();
    omp_fulfill_event(event);
#pragma omp taskwait
    after = omp_get_max_threads();
  }
  CHECK("threads that a task wants which was held up", held[0], 4);
  CHECK("its schedule", held[1], 5);
  CHECK("threads that another one wants", free, 7);
  CHECK("threads that their parent wants", after, 7);
}

static void discarded(void) {
  int ran = 0;
  long sums[2] = {0};
#pragma omp target map(tofrom : ran, sums)
#pragma omp parallel num_threads(2)
#pragma omp masked
  {
    omp_event_handle_t event;
    long parts[2] = {0, 0};
#pragma omp taskgroup
    {
#pragma omp task
      {
#pragma omp cancel taskgroup
      }
#pragma omp task detach(event) shared(ran)
      ran = 1;
#pragma omp taskgroup task_reduction(+ : parts)
      {
#pragma omp task in_reduction(+ : parts)
        {
          parts[0] += 5;
          parts[1] += 5;
        }
        omp_fulfill_event(event);
      }
    }
    sums[0] = parts[0];
    sums[1] = parts[1];
  }
  CHECK_THAT("a task of a cancelled group", !ran || !offloads());
  CHECK_THAT("a reduction beside its event", (sums[0] == 5 && sums[1] == 5) || !offloads());
}

// Regions ask for as many threads as the ICVs say.
static void levels(void) {
  int threads = 0, level = 0, active = 1, most[3] = {0};
#pragma omp target map(tofrom : threads, level, active, most) thread_limit(64)
  {
    omp_set_num_threads(500);
    most[0] = omp_get_max_threads();
#pragma omp parallel num_threads(4)
#pragma omp masked
    {
      most[1] = omp_get_max_threads();
      omp_set_num_threads(300);
      most[2] = omp_get_max_threads();
    }
    omp_set_max_active_levels(0);
#pragma omp parallel num_threads(8)
#pragma omp masked
    {
      threads = omp_get_num_threads();
      level = omp_get_level();
      active = omp_get_active_level();
    }
  }
  CHECK("nthreads-var", most[0], 500);
  CHECK("that of a task in a region", most[1], 500);
  CHECK("its own", most[2], 300);
  CHECK("threads where no region may be active", threads, 1);
  CHECK("level there", level, 1);
  CHECK("active levels there", active, 0);
}

int main(int count, char **words) {
  // The variable is read when the program starts.
  if (count == 1 && offloads()) {
    setenv("OMP_CANCELLATION", "true", 1);
    execl("/proc/self/exe", words[0], "again", (char *)0);
  }
  groups();
  icvs();
  discarded();
  levels();
  return finish();
}
