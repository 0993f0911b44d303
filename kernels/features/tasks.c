// Explicit tasks: data environment, order, nesting, recursion, clauses, in every kind of region.
#include "check.h"

enum { N = 24, THREADS = 48 };

#pragma omp begin declare target
static int fib(int n) {
  int a, b;
  if (n < 2)
    return n;
#pragma omp task shared(a)
  a = fib(n - 1);
#pragma omp task shared(b) untied
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}
static void add_tree(int depth, int *sum) {
#pragma omp atomic
  *sum += 1;
  for (int i = 0; depth > 0 && i < 2; ++i)
#pragma omp task firstprivate(depth)
    add_tree(depth - 1, sum);
}
#pragma omp end declare target

// In the serial part of a target region the implicit task is the initial one.
static void serial_part(void) {
  int values[N], sum = 0, explicit_tasks = 0, outside = 1, level = -1, wait = 0;
#pragma omp target map(from : values, sum, explicit_tasks, outside, level, wait)
  {
    outside = omp_in_explicit_task();
    sum = 0;
    explicit_tasks = 0;
    for (int i = 0; i < N; ++i)
#pragma omp task firstprivate(i) shared(values, explicit_tasks)
    {
      values[i] = i * i;
      explicit_tasks += omp_in_explicit_task();
    }
#pragma omp taskwait
    for (int i = 0; i < N; ++i)
      sum += values[i];
    level = omp_get_level();
#pragma omp task shared(wait)
    {
#pragma omp task shared(wait)
      wait = 5;
#pragma omp taskwait
      wait *= 2;
    }
#pragma omp taskwait
    outside += omp_in_explicit_task();
  }
  CHECK("serial part: sum of squares", sum, (N - 1) * N * (2 * N - 1) / 6);
  CHECK("serial part: in explicit tasks", explicit_tasks, N);
  CHECK("serial part: outside of them", outside, 0);
  CHECK("serial part: level", level, 0);
  CHECK("serial part: child before parent goes on", wait, 10);
}

static void in_parallel(void) {
  int count = 0, threads = 0, wrong = 0, tree = 0, single = 0, masked = 0;
#pragma omp target map(tofrom : count, threads, wrong, tree, single, masked)
#pragma omp parallel num_threads(THREADS)
  {
    int mine = 0;
#pragma omp atomic
    threads += 1;
    for (int i = 0; i < 3; ++i)
#pragma omp task shared(count, mine) firstprivate(i)
    {
#pragma omp atomic
      count += 1;
      // No atomic operation: GPUs have none on variables of one thread.
#pragma omp critical
      mine += 1;
      if (!omp_in_parallel() || omp_get_level() != 1)
#pragma omp atomic
        wrong += 1;
    }
#pragma omp taskwait
    if (mine != 3)
#pragma omp atomic
      wrong += 1;
    add_tree(3, &tree);
#pragma omp single
    for (int i = 0; i < N; ++i)
#pragma omp task shared(single)
#pragma omp atomic
      single += 1;
    if (single != N)
#pragma omp atomic
      wrong += 1;
#pragma omp masked
    {
#pragma omp taskgroup
      for (int i = 0; i < N; ++i)
#pragma omp task shared(masked)
#pragma omp atomic
        masked += 1;
      if (masked != N)
#pragma omp atomic
        wrong += 1;
    }
  }
  CHECK("parallel: tasks", count, 3 * threads);
  CHECK("parallel: trees of tasks", tree, 15 * threads);
  CHECK("parallel: tasks of single", single, N);
  CHECK("parallel: tasks of masked", masked, N);
  CHECK("parallel: wrong", wrong, 0);
}

static void recursion(void) {
  int serial = 0, parallel = 0, expected = 0;
#pragma omp target map(from : serial)
  serial = fib(12);
#pragma omp target parallel num_threads(THREADS) map(tofrom : parallel, expected)
  {
    int mine = fib(6 + omp_get_thread_num() % 2);
#pragma omp atomic
    parallel += mine;
#pragma omp atomic
    expected += omp_get_thread_num() % 2 ? 13 : 8;
  }
  CHECK("recursion: fib(12)", serial, 144);
  CHECK("recursion: fib(6) and fib(7) by many", parallel, expected);
}

static void clauses(int off) {
  int untied = 0, finals = 0, not_final = 0, undeferred = 0, merged = 0, priority = 0, yields = 0, affinity = 0;
#pragma omp target map(tofrom : untied, finals, not_final, undeferred, merged, priority, yields, affinity)
  {
#pragma omp task untied shared(untied)
    {
      untied += 1;
#pragma omp taskyield
      untied += 10;
#pragma omp task shared(untied)
      untied += 100;
#pragma omp taskwait
      untied += 1000;
    }
    // libomp fails on an undeferred untied task.
#pragma omp task untied if (omp_is_initial_device()) shared(untied)
    {
      untied += 10000;
#pragma omp taskyield
      untied += 10000;
    }
#pragma omp task final(1) shared(finals)
    {
      finals += omp_in_final();
#pragma omp task shared(finals)
      {
        finals += 10 * omp_in_final();
#pragma omp task if (off) shared(finals)
        finals += 100 * omp_in_final();
      }
    }
#pragma omp task final(off) shared(not_final)
    not_final += omp_in_final() + 1;
    not_final += omp_in_final();
#pragma omp task if (off) shared(undeferred)
    {
      undeferred = 1 + omp_in_explicit_task();
#pragma omp task if (off) shared(undeferred)
      undeferred *= 3;
      undeferred += omp_in_explicit_task();
    }
    undeferred += 10 * (omp_in_explicit_task() == 0);
#pragma omp task mergeable shared(merged)
    merged = 4;
#pragma omp task priority(7) shared(priority)
    priority = 1 + omp_get_max_task_priority();
#pragma omp task shared(yields)
    {
#pragma omp taskyield
      yields = 3;
    }
#pragma omp task affinity(affinity) shared(affinity)
    affinity = 9;
#pragma omp taskwait
  }
  CHECK("untied", untied, 21111);
  CHECK("final, and its children", finals, 111);
  CHECK("not final", not_final, 1);
  CHECK("if(0)", undeferred, 17);
  CHECK("mergeable", merged, 4);
  CHECK("priority", priority, 1);
  CHECK("taskyield", yields, 3);
  CHECK("affinity", affinity, 9);
}

// A task has its own ICVs.
static void icvs(void) {
  int inside[4] = {0}, behind[4] = {0}, team = 0;
#pragma omp target map(from : inside, behind, team)
  {
    team = 0;
    omp_set_num_threads(40);
    omp_set_schedule(omp_sched_dynamic, 3);
#pragma omp task shared(inside)
    {
      inside[0] = omp_get_max_threads();
      omp_set_num_threads(32);
      omp_set_schedule(omp_sched_guided, 5);
      inside[1] = omp_get_max_threads();
    }
#pragma omp taskwait
    omp_sched_t kind;
    behind[0] = omp_get_max_threads();
    omp_get_schedule(&kind, &behind[1]);
    int set = 0, kept = 0;
#pragma omp parallel num_threads(32) reduction(+ : set, kept)
    {
      if (omp_get_thread_num() % 2)
        omp_set_schedule(omp_sched_static, 8);
      omp_sched_t now;
      int chunk;
#pragma omp task shared(set)
      {
        int in_task;
        omp_set_schedule(omp_sched_dynamic, 77);
        omp_get_schedule(&now, &in_task);
        set += in_task == 77;
      }
#pragma omp taskwait
      omp_get_schedule(&now, &chunk);
      kept += chunk == (omp_get_thread_num() % 2 ? 8 : 3);
    }
    behind[2] = set;
    behind[3] = kept;
#pragma omp parallel num_threads(32)
#pragma omp atomic
    team += 1;
  }
  CHECK("icvs: as the parent has them", inside[0], 40);
  CHECK("icvs: set in a task", inside[1], 32);
  CHECK("icvs: the parent's stay", behind[0], 40);
  CHECK("icvs: its schedule stays", behind[1], 3);
  CHECK("icvs: set in tasks of a region", behind[2], team);
  CHECK("icvs: those of implicit tasks stay", behind[3], team);
}

// More than a slot holds, and regions inside of tasks.
static void large(int off) {
  int sum = 0, inner = 0, final = 0, flat = 0, ran = 0;
  struct block {
    int values[100];
  } block;
  for (int i = 0; i < 100; ++i)
    block.values[i] = i;
#pragma omp target map(to : block) map(tofrom : sum, inner, final, flat, ran)
  {
#pragma omp task firstprivate(block) shared(sum, final)
    {
      for (int i = 0; i < 100; ++i)
        sum += block.values[i];
      final += omp_in_explicit_task() + omp_in_final();
    }
#pragma omp task firstprivate(block) final(1) shared(sum, final)
    {
      for (int i = 0; i < 100; ++i)
        sum += block.values[i];
#pragma omp task shared(final) if (off)
      final += 10 * omp_in_explicit_task() + 100 * omp_in_final();
    }
#pragma omp task shared(inner, flat, ran)
    {
#pragma omp parallel num_threads(32)
      {
#pragma omp atomic
        inner += 1;
#pragma omp atomic
        flat += omp_in_explicit_task();
#pragma omp task
#pragma omp atomic
        ran += omp_in_explicit_task();
      }
    }
#pragma omp taskwait
  }
  CHECK("large task", sum, 2 * 4950);
  CHECK("large task: queries", final, 111);
  CHECK("region in a task: implicit tasks", flat, 0);
  CHECK_THAT("region in a task: a task for each thread", inner > 0 && ran == inner);
}

int main(void) {
  serial_part();
  in_parallel();
  recursion();
  clauses(0);
  icvs();
  large(0);
  return finish();
}
