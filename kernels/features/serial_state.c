// What serial code sets, read by workers in regions without a barrier: several regions, functions that are not inlined, ICVs, and
// tasks that set them for themselves. A program of one region is in worker_state.c.
#include "check.h"

enum { THREADS = 32 };

#pragma omp begin declare target
static __attribute__((noinline)) int me(void) { return omp_get_thread_num(); }
static __attribute__((noinline)) int size(void) { return omp_get_num_threads(); }
static __attribute__((noinline)) int level(void) { return 10 * omp_get_level() + omp_in_parallel(); }
static __attribute__((noinline)) int icvs(void) {
  omp_sched_t kind;
  int chunk;
  omp_get_schedule(&kind, &chunk);
  return 1000 * (kind == omp_sched_dynamic) + 100 * chunk + omp_get_max_threads();
}
#pragma omp end declare target

static int wrong(const int *found, int factor, int rest) {
  int count = 0;
  for (int i = 0; i < THREADS; ++i)
    count += found[i] != factor * i + rest;
  return count;
}

// A region in serial code, each thread of which writes `value` where its number says.
#define REGION_WITH(what, value, factor, rest)                                                                         \
  do {                                                                                                                 \
    int found[THREADS] = {0}, serial = 0;                                                                              \
    PRAGMA(omp target map(tofrom : found, serial) thread_limit(64))                                                    \
    {                                                                                                                  \
      for (int k = 0; k < 3; ++k)                                                                                      \
        serial += k;                                                                                                   \
      PRAGMA(omp parallel num_threads(THREADS))                                                                        \
      found[omp_get_thread_num()] = (value);                                                                           \
      serial += found[1];                                                                                              \
    }                                                                                                                  \
    CHECK(what, wrong(found, factor, rest), 0);                                                                        \
    CHECK(what ", then serial code", serial, 3 + found[1]);                                                            \
  } while (0)

// The same twice: the second region is larger, or has other arguments.
static void two_regions(void) {
  int first[THREADS] = {0}, second[THREADS] = {0};
#pragma omp target map(tofrom : first, second) thread_limit(64)
  {
    int half = THREADS / 2;
#pragma omp parallel num_threads(half)
    first[omp_get_thread_num()] = 100 * omp_get_num_threads() + half;
#pragma omp parallel num_threads(THREADS)
    second[me()] = 100 * size() + level();
  }
  int few = 0;
  for (int i = 0; i < THREADS; ++i)
    few += first[i] != (i < THREADS / 2 ? 100 * (THREADS / 2) + THREADS / 2 : 0);
  CHECK("a smaller region", few, 0);
  CHECK("a larger region behind it", wrong(second, 0, 100 * THREADS + 11), 0);
}

// ICVs that serial code sets, in the code itself and in a task of it, which sets them for itself alone.
static void icvs_of_serial_code(void) {
  int found[THREADS] = {0}, in_task[THREADS] = {0}, behind[THREADS] = {0}, allocators = 0;
#pragma omp target map(tofrom : found, in_task, behind, allocators) thread_limit(64)
  {
    omp_set_num_threads(5);
    omp_set_schedule(omp_sched_dynamic, 7);
#pragma omp parallel num_threads(THREADS)
    found[omp_get_thread_num()] = icvs();
#pragma omp task if (0) shared(in_task, allocators)
    {
      omp_set_num_threads(3);
      omp_set_default_allocator(omp_cgroup_mem_alloc);
      allocators = omp_get_default_allocator() == omp_cgroup_mem_alloc;
#pragma omp parallel num_threads(THREADS)
      in_task[omp_get_thread_num()] = icvs();
    }
    allocators += 2 * (omp_get_default_allocator() == omp_cgroup_mem_alloc);
#pragma omp parallel num_threads(THREADS)
    behind[omp_get_thread_num()] = icvs();
  }
  CHECK("ICVs of serial code", wrong(found, 0, 1705), 0);
  CHECK("ICVs of a task of serial code", in_task[0], 1703);
  CHECK("ICVs behind the task", wrong(behind, 0, 1705), 0);
  CHECK("def-allocator-var, of the implicit task", allocators, 3);
}

int main(void) {
  REGION_WITH("thread number", omp_get_thread_num(), 1, 0);
  REGION_WITH("team size", 100 * omp_get_num_threads() + omp_get_thread_num() + serial, 1, 100 * THREADS + 3);
  REGION_WITH("thread number in a function", me(), 1, 0);
  REGION_WITH("team size in a function", size(), 0, THREADS);
  REGION_WITH("level", 10 * omp_get_level() + omp_in_parallel(), 0, 11);
  REGION_WITH("level in a function", level(), 0, 11);
  two_regions();
  icvs_of_serial_code();
  return finish();
}
