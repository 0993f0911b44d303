// Memory of a team whose size a launch says (`dyn_groupprivate`, OpenMP 6.1): shared memory, and memory of the device in
// its place where there is not enough of it. LLVM 22's `omp.h` does not declare the routines, `omptarget.cfg`'s does.
#include "check.h"
#include <stdlib.h>

enum { CGROUP = omp_access_cgroup, TEAMS = 6, THREADS = 64 };

#pragma omp begin declare target
#ifdef __NVPTX__
#define IS_SHARED(pointer) __nvvm_isspacep_shared(pointer)
#else
#define IS_SHARED(pointer) 0
#endif

// How a team's memory differs from what it should be.
static long faults(size_t size, omp_memspace_handle_t space) {
  char *memory = omp_get_dyn_gprivate_ptr(0, CGROUP), *own = omp_get_dyn_gprivate_nofb_ptr(0, CGROUP);
  int has_memory = space != omp_null_mem_space, is_shared = space == omp_cgroup_mem_space;
  long wrong = omp_get_dyn_gprivate_size(CGROUP) != size;
  wrong += 10 * (omp_get_dyn_gprivate_memspace(CGROUP) != space);
  wrong += 100 * ((memory != 0) != has_memory) + 1000 * ((own != 0) != is_shared);
  if (is_shared)
    wrong += 10000 * (own != memory || !IS_SHARED(own) || omp_get_dyn_gprivate_nofb_ptr(8, CGROUP) != own + 8);
  if (space == omp_default_mem_space)
    wrong += 10000 * (IS_SHARED(memory) || (size_t)memory % 16 != 0);
  if (memory)
    wrong += 100000 * ((char *)omp_get_dyn_gprivate_ptr(size - 1, CGROUP) != memory + size - 1);
  return wrong;
}
#pragma omp end declare target

// What the last thread of a team wrote, the first one reads; all that differs from it, and sums over teams.
#define FILL_AND_READ(size, space)                                                                                     \
  {                                                                                                                    \
    long bad = faults(size, space);                                                                                    \
    if (bad == 0 && space != omp_null_mem_space) {                                                                     \
      PRAGMA(omp parallel num_threads(THREADS)) {                                                                      \
        long *longs = omp_get_dyn_gprivate_ptr(0, CGROUP), n = (long)((size) / sizeof(long));                          \
        for (long i = omp_get_thread_num(); i < n; i += omp_get_num_threads())                                         \
          longs[i] = 1000 * omp_get_team_num() + i;                                                                    \
        PRAGMA(omp barrier)                                                                                            \
        for (long i = n - 1 - omp_get_thread_num(); i >= 0; i -= omp_get_num_threads())                                \
          if (longs[i] != 1000 * omp_get_team_num() + i) {                                                             \
            PRAGMA(omp atomic) bad += 1000000;                                                                         \
          }                                                                                                            \
      }                                                                                                                \
    }                                                                                                                  \
    wrong += bad;                                                                                                      \
  }

#define LAUNCH(name, clause)                                                                                           \
  static long name(size_t size, omp_memspace_handle_t space) {                                                         \
    long wrong = 0;                                                                                                    \
    PRAGMA(omp target teams num_teams(TEAMS) thread_limit(THREADS) clause reduction(+ : wrong))                        \
    FILL_AND_READ(size, space)                                                                                         \
    return wrong;                                                                                                      \
  }
LAUNCH(usual, dyn_groupprivate(size))
LAUNCH(or_device_memory, dyn_groupprivate(fallback(default_mem) : size))
LAUNCH(or_null, dyn_groupprivate(fallback(null) : size))
LAUNCH(or_abort, dyn_groupprivate(fallback(abort) : size))
LAUNCH(without, )

// No team reduces, and each region is one of all threads.
static long spmd(size_t size, omp_memspace_handle_t space) {
  long wrong = 0, many = 0;
#pragma omp target teams distribute parallel for num_teams(TEAMS) dyn_groupprivate(size) map(tofrom : wrong, many)
  for (int i = 0; i < TEAMS * THREADS; ++i) {
    long bad = faults(size, space);
#pragma omp atomic
    wrong += bad;
#pragma omp atomic
    many += 1;
  }
  return many == TEAMS * THREADS ? wrong : -1;
}

// Kernels without the state of the runtime.
static long bare(size_t size, omp_memspace_handle_t space) {
  long wrong = 0;
#pragma omp target teams ompx_bare num_teams(TEAMS) thread_limit(THREADS) dyn_groupprivate(size) map(tofrom : wrong)
  {
    long bad = faults(size, space);
#pragma omp atomic
    wrong += bad;
  }
#pragma omp target teams ompx_bare num_teams(TEAMS) thread_limit(THREADS) map(tofrom : wrong)
  {
    long bad = faults(0, omp_null_mem_space);
#pragma omp atomic
    wrong += bad;
  }
  return wrong;
}

// A launch does not see the memory of one before.
static long in_turn(size_t large, size_t small) {
  long wrong = 0, more = 0;
#pragma omp target teams num_teams(TEAMS) thread_limit(THREADS) dyn_groupprivate(large) map(tofrom : wrong)
  {
    long bad = faults(large, omp_default_mem_space);
#pragma omp atomic
    wrong += bad;
  }
#pragma omp target teams num_teams(TEAMS) thread_limit(THREADS) dyn_groupprivate(small) map(tofrom : more)
  {
    long bad = faults(small, omp_cgroup_mem_space);
#pragma omp atomic
    more += bad;
  }
  return wrong + more;
}

int main(void) {
  CHECK("nothing on the host", faults(0, omp_null_mem_space), 0);
  CHECK("the host's limit", omp_get_gprivate_limit(omp_get_initial_device(), CGROUP), 0);
  int here = offloads();
  size_t limit = omp_get_gprivate_limit(0, CGROUP), large = limit + 16, few = 1024;
  CHECK_THAT("the device's limit", here ? limit >= 48 << 10 : limit == 0);
  // Where the host runs the regions there is none of it.
  omp_memspace_handle_t shared = here ? omp_cgroup_mem_space : omp_null_mem_space;
  omp_memspace_handle_t device = here ? omp_default_mem_space : omp_null_mem_space;
#define SIZE(size) (here ? (size) : 0)
  CHECK("as much as there is", usual(SIZE(few), shared), 0);
  CHECK("more than CUDA gives unasked", usual(SIZE((size_t)64 << 10), shared), 0);
  CHECK("that or device memory", or_device_memory(SIZE(few), shared), 0);
  CHECK("that or null", or_null(SIZE(few), shared), 0);
  CHECK("that or abort", or_abort(SIZE(few), shared), 0);
  CHECK("all threads", spmd(SIZE(few), shared), 0);
  CHECK("bare kernels", bare(SIZE(few), shared), 0);
  CHECK("too much", usual(SIZE(large), device), 0);
  CHECK("too much beside what the kernel has", usual(SIZE(limit), device), 0);
  CHECK("too much, or device memory", or_device_memory(SIZE(large), device), 0);
  CHECK("too much, all threads", spmd(SIZE(large), device), 0);
  if (here) {
    long wrong = 0;
#pragma omp target dyn_groupprivate(fallback(null) : large) map(tofrom : wrong)
    wrong = faults(0, omp_null_mem_space);
    CHECK("too much, or null", wrong, 0);
    CHECK("two launches", in_turn(large, few), 0);
  } else {
    CHECK("too much, or null", 0, 0);
    CHECK("two launches", 0, 0);
  }
  CHECK("none asked for", or_abort(0, omp_null_mem_space), 0);
  CHECK("none asked for, or device memory", or_device_memory(0, omp_null_mem_space), 0);
  CHECK("no clause", without(0, omp_null_mem_space), 0);
  return finish();
}
