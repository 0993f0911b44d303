// Barriers, in cycles of one: those that the compiler calls, in kernels of both modes and in teams of all sizes.
//
// Each kernel first shows that its barrier is one: every thread writes a number, and reads its neighbour's behind it.
#include "bench.h"

#define GROUP "barriers"

#ifdef __NVPTX__
void __kmpc_barrier_simple_spmd(void *location, int thread);
void __kmpc_barrier_simple_generic(void *location, int thread);
#define SIMPLE_SPMD() __kmpc_barrier_simple_spmd(NULL, 0)
#define SIMPLE_GENERIC() __kmpc_barrier_simple_generic(NULL, 0)
#define BAR_SYNC() __asm__ volatile("bar.sync 0;" ::: "memory")
#else
#define SIMPLE_SPMD() // nothing: the host's version of a kernel is never run
#define SIMPLE_GENERIC()
#define BAR_SYNC()
#endif
#define BARRIER() _Pragma("omp barrier")
#define NOTHING()

// What all threads of a region do. CHECK is 0 if OPERATION is no barrier.
#define REGION(OPERATION, CHECK)                                                                                       \
  long thread = omp_get_thread_num(), size = omp_get_num_threads(), team = omp_get_team_num();                         \
  uint32_t *mine = launch.slots + team * launch.threads;                                                               \
  for (uint32_t round = 0; CHECK && round < 4; ++round) {                                                              \
    mine[thread] = hash(launch.seed + round * 1024 + thread);                                                          \
    OPERATION();                                                                                                       \
    uint32_t neighbour = (thread + 33) % size;                                                                         \
    if (*(volatile uint32_t *)(mine + neighbour) != hash(launch.seed + round * 1024 + neighbour))                      \
      _Pragma("omp atomic") wrong += 1;                                                                                \
    OPERATION();                                                                                                       \
  }                                                                                                                    \
  if (size != launch.argument)                                                                                         \
    _Pragma("omp atomic") wrong += 1;                                                                                  \
  BARRIER()                                                                                                            \
  uint64_t start = device_clock();                                                                                     \
  for (long i = 0; i < launch.repeats; ++i) {                                                                          \
    OPAQUE();                                                                                                          \
    OPERATION();                                                                                                       \
  }                                                                                                                    \
  OPAQUE();                                                                                                            \
  uint64_t end = device_clock();                                                                                       \
  if (thread == 0)                                                                                                     \
    launch.cycles[team] = end - start;

// A region with nothing around it: an SPMD kernel.
#define SPMD(NAME, OPERATION, CHECK)                                                                                   \
  static long NAME(Launch launch) {                                                                                    \
    long wrong = 0;                                                                                                    \
    _Pragma("omp target teams num_teams(launch.teams) thread_limit(launch.threads) map(tofrom : wrong)")               \
    _Pragma("omp parallel num_threads(launch.threads)") {                                                             \
      REGION(OPERATION, CHECK)                                                                                         \
    }                                                                                                                  \
    return wrong;                                                                                                      \
  }

SPMD(spmd_nothing, NOTHING, 0)
SPMD(spmd_bar_sync, BAR_SYNC, 1)
SPMD(spmd_simple_spmd, SIMPLE_SPMD, 1)
SPMD(spmd_simple_generic, SIMPLE_GENERIC, 1)
SPMD(spmd_barrier, BARRIER, 1)

// Serial code in front of the region, with inline assembly, for which clang leaves it a generic kernel; our passes make it SPMD.
// Nobody knows the size of the region's team when the kernel is launched.
static long generic_barrier(Launch launch) {
  long wrong = 0;
#pragma omp target teams num_teams(launch.teams) thread_limit(launch.threads) map(tofrom : wrong)
  {
    int size = launch.argument;
    OPAQUE_VALUE(size);
#pragma omp parallel num_threads(size)
    {
      REGION(BARRIER, 1)
    }
  }
  return wrong;
}

static void blocks(Launch launch, const char *parameters) {
  static const Named kernels[] = {{"empty_loop", spmd_nothing},
                                  {"bar_sync", spmd_bar_sync},
                                  {"simple_spmd", spmd_simple_spmd},
                                  {"simple_generic", spmd_simple_generic},
                                  {"kmpc_barrier_spmd", spmd_barrier}};
  launch.argument = launch.threads;
  measure_all(GROUP, kernels, COUNT(kernels), launch, 1, parameters);
  launch.argument = generic_size(launch.threads);
  measure(GROUP, "kmpc_barrier_generic", generic_barrier, launch, 1, parameters);
}

// Teams that do not fill their block, and such that do not fill their last warp. Behind all others: LLVM 19's runtime fails.
static void parts_of_blocks(Launch launch, const char *parameters) {
  const struct {
    const char *word;
    long size;
  } teams[] = {{"half", launch.threads / 2}, {"all_but_one", generic_size(launch.threads) - 1}};
  for (size_t i = 0; i < COUNT(teams); ++i) {
    char with[120];
    snprintf(with, sizeof with, "%s team=%s", parameters, teams[i].word);
    launch.argument = teams[i].size;
    measure(GROUP, "kmpc_barrier_generic", generic_barrier, launch, 1, with);
  }
}

int main(int argc, char **argv) {
  read_options(argc, argv);
  for_all_teams(blocks);
  for_all_teams(parts_of_blocks);
  return 0;
}
