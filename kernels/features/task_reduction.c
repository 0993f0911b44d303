// Reductions over tasks: taskgroup, taskloop, and the task modifier of parallel and worksharing constructs.
#include "check.h"

enum { N = 40 };

typedef struct {
  double low, high;
} range;
#pragma omp declare reduction(widen : range : omp_out.low = omp_in.low < omp_out.low ? omp_in.low : omp_out.low,      \
                                  omp_out.high = omp_in.high > omp_out.high ? omp_in.high : omp_out.high)              \
    initializer(omp_priv = (range){1e30, -1e30})

#pragma omp begin declare target
int deep;
// Finds the reduction of the group by itself.
static void add_deep(int depth) {
#pragma omp task in_reduction(+ : deep) firstprivate(depth)
  {
    deep += 1;
    if (depth > 0) {
      add_deep(depth - 1);
      add_deep(depth - 1);
    }
  }
}
#pragma omp end declare target

int main(void) {
  int data[N], sum = 100, most = -5;
  double product = 1;
  long array[6] = {0};
  range all = {1e30, -1e30};
  for (int i = 0; i < N; ++i)
    data[i] = (i * 7 + 3) % 41;

  // The first task of the program whose thread must note something, while others are at the end of the region already.
  int of_one = 5;
#pragma omp target parallel reduction(task, + : of_one) num_threads(8) map(to : data) map(tofrom : of_one)
  if (omp_get_thread_num() == 0)
#pragma omp task in_reduction(+ : of_one)
    for (int i = 0; i < N; ++i)
      of_one += data[i] - data[N - 1 - i] + 1;
  CHECK("one thread's task", of_one, 5 + N);

#pragma omp target map(to : data) map(tofrom : sum, most, product, array, all)
#pragma omp taskgroup task_reduction(+ : sum) task_reduction(max : most) task_reduction(* : product)                   \
    task_reduction(+ : array) task_reduction(widen : all)
  for (int i = 0; i < N; ++i)
#pragma omp task in_reduction(+ : sum) in_reduction(max : most) in_reduction(* : product) in_reduction(+ : array)      \
    in_reduction(widen : all) firstprivate(i)
  {
    sum += data[i];
    most = data[i] > most ? data[i] : most;
    product *= i % 5 ? 1 : 2;
    array[i % 6] += i;
    if (data[i] < all.low)
      all.low = data[i];
    if (data[i] > all.high)
      all.high = data[i];
  }
  int want_sum = 100, want_max = -5;
  long want_array[6] = {0}, bad = 0;
  for (int i = 0; i < N; ++i) {
    want_sum += data[i];
    want_max = data[i] > want_max ? data[i] : want_max;
    want_array[i % 6] += i;
  }
  for (int i = 0; i < 6; ++i)
    bad += array[i] != want_array[i];
  CHECK("taskgroup: +", sum, want_sum);
  CHECK("taskgroup: max", most, want_max);
  CHECK("taskgroup: *", product, 256.0);
  CHECK("taskgroup: array", bad, 0L);
  CHECK("taskgroup: user-defined", all.high - all.low, 40.0);

  // Groups in groups, a task that is not part of it, recursion.
  int outside = 0, outer = 0, inner = 0;
#pragma omp target map(tofrom : outside, outer, inner)
  {
#pragma omp taskgroup task_reduction(+ : outer)
    {
#pragma omp task in_reduction(+ : outer) shared(inner)
      {
        outer += 1;
#pragma omp taskgroup task_reduction(+ : inner)
        {
#pragma omp task in_reduction(+ : inner) in_reduction(+ : outer)
          {
            inner += 10;
            outer += 100;
          }
#pragma omp taskgroup
          {
#pragma omp task in_reduction(+ : inner)
            inner += 5;
          }
        }
        outer += inner;
      }
#pragma omp task shared(outside)
      outside += 1;
    }
#pragma omp taskgroup task_reduction(+ : deep)
    add_deep(4);
  }
#pragma omp target update from(deep)
  CHECK("group in a group: outer", outer, 116);
  CHECK("group in a group: inner", inner, 15);
  CHECK("not part of it", outside, 1);
  CHECK("found by itself, in recursion", deep, 31);

  // taskloop
  int loop = 7, modified = 0;
  double maximum = -1;
#pragma omp target map(to : data) map(tofrom : loop, maximum, modified)
  {
#pragma omp taskloop reduction(+ : loop) reduction(max : maximum) grainsize(6)
    for (int i = 0; i < N; ++i) {
      loop += data[i];
      maximum = data[i] > maximum ? data[i] : maximum;
    }
#pragma omp taskgroup task_reduction(+ : modified)
#pragma omp taskloop in_reduction(+ : modified) num_tasks(5)
    for (int i = 0; i < N; ++i)
      modified += i;
  }
  CHECK("taskloop: +", loop, want_sum - 100 + 7);
  CHECK("taskloop: max", maximum, 40.0);
  CHECK("taskloop: in_reduction", modified, N * (N - 1) / 2);

  // The task modifier: each thread's tasks and its own part, over the team.
  int team = 0, threads = 0, shared_loop = 0, sections = 0;
#pragma omp target map(tofrom : team, threads)
#pragma omp parallel num_threads(72) reduction(task, + : team)
  {
#pragma omp atomic
    threads += 1;
    team += 1;
    for (int i = 0; i < 3; ++i)
#pragma omp task in_reduction(+ : team)
      team += 10;
  }
  CHECK("parallel reduction(task)", team, 31 * threads);
#pragma omp target map(tofrom : shared_loop, sections)
#pragma omp parallel num_threads(40)
  {
#pragma omp for reduction(task, + : shared_loop)
    for (int i = 0; i < N; ++i) {
      shared_loop += 1;
#pragma omp task in_reduction(+ : shared_loop)
      shared_loop += i;
    }
#pragma omp sections reduction(task, + : sections)
    {
#pragma omp section
      {
#pragma omp task in_reduction(+ : sections)
        sections += 3;
      }
#pragma omp section
      sections += 4;
    }
  }
  CHECK("for reduction(task)", shared_loop, N + N * (N - 1) / 2);
  CHECK("sections reduction(task)", sections, 7);

  // A list item that needs much memory.
  static int big[500];
#pragma omp target map(tofrom : big)
#pragma omp taskgroup task_reduction(+ : big)
  for (int i = 0; i < 5; ++i)
#pragma omp task in_reduction(+ : big)
    for (int j = 0; j < 500; ++j)
      big[j] += j;
  bad = 0;
  for (int j = 0; j < 500; ++j)
    bad += big[j] != 5 * j;
  CHECK("large array", bad, 0L);
  return finish();
}
