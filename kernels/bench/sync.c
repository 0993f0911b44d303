// Critical sections and locks that all threads want at once, atomic updates beside them, and single, masked and ordered, in
// cycles: of one entry of one thread for the first, of one construct of the team for the others.
#include "bench.h"

#define GROUP "sync"

static omp_lock_t lock;
#pragma omp declare target to(lock)

// An SPMD kernel in which the team's threads do BODY `launch.repeats` times, between two barriers. MISTAKES is what is wrong
// with `sum`, by which BODY has raised the words of the team.
#define KERNEL(NAME, BODY, MISTAKES)                                                                                   \
  SPMD_KERNEL(NAME, {                                                                                                  \
    of_team[thread] = launch.seed;                                                                                     \
    _Pragma("omp barrier") uint64_t start = device_clock();                                                            \
    for (long i = 0; i < launch.repeats; ++i) {                                                                        \
      OPAQUE();                                                                                                        \
      BODY                                                                                                             \
    }                                                                                                                  \
    OPAQUE();                                                                                                          \
    _Pragma("omp barrier") uint64_t end = device_clock();                                                              \
    if (thread == 0) {                                                                                                 \
      launch.cycles[team] = end - start;                                                                               \
      uint32_t sum = 0;                                                                                                \
      for (long i = 0; i < launch.threads; ++i)                                                                        \
        sum += of_team[i] - launch.seed;                                                                               \
      long mistakes = (MISTAKES);                                                                                      \
      _Pragma("omp atomic") wrong += mistakes;                                                                         \
    }                                                                                                                  \
  })

// One variable of the team, which needs no atomic update if the construct excludes.
#define PLUS_ONE *(volatile uint32_t *)of_team = *(volatile uint32_t *)of_team + 1;
#define ALL (sum != (uint32_t)(launch.threads * launch.repeats))
#define ONE (sum != (uint32_t)launch.repeats)

KERNEL(atomic, _Pragma("omp atomic") of_team[0] += 1;, ALL)
KERNEL(critical, _Pragma("omp critical") { PLUS_ONE }, ALL)
KERNEL(locked, omp_set_lock(&lock); PLUS_ONE omp_unset_lock(&lock);, ALL)
KERNEL(single, _Pragma("omp single") { PLUS_ONE }, ONE)
KERNEL(masked, _Pragma("omp master") { PLUS_ONE } _Pragma("omp barrier"), ONE)
KERNEL(barrier, _Pragma("omp barrier"), sum != 0)

// A loop with one iteration a thread: each waits for that of the thread before.
KERNEL(ordered, _Pragma("omp for ordered schedule(static, 1)") for (long j = 0; j < launch.threads; ++j) {
  _Pragma("omp ordered") { PLUS_ONE }
}, ALL)

static void all(Launch launch, const char *parameters) {
  static const Named constructs[] = {{"barrier", barrier}, {"single", single}, {"masked", masked}};
  static const Named entries[] = {{"atomic", atomic}, {"critical", critical}, {"lock", locked}};
  measure_all(GROUP, constructs, COUNT(constructs), launch, 1, parameters);
  measure_all(GROUP, entries, COUNT(entries), launch, launch.threads, parameters);
}

// Behind all others: LLVM's runtimes do not come to an end with more threads than a warp's.
static void in_order(Launch launch, const char *parameters) {
  measure(GROUP, "ordered", ordered, launch, launch.threads, parameters);
}

int main(int argc, char **argv) {
  read_options(argc, argv);
#pragma omp target
  omp_init_lock(&lock);
  for_all_teams(all);
  for_all_teams(in_order);
#pragma omp target
  omp_destroy_lock(&lock);
  return 0;
}
