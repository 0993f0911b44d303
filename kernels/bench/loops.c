// Schedules of a loop over the threads of a team, in cycles of one chunk of one thread: dispatch and barrier included, a
// body that only counts.
#include "bench.h"

#define GROUP "loops"

// `launch.repeats` chunks a thread. The sum over all iterations is that of their numbers.
#define KERNEL(NAME, CLAUSE, CHUNK)                                                                                    \
  SPMD_KERNEL(NAME, {                                                                                                  \
    uint32_t sum = 0, count = (uint32_t)(launch.repeats * launch.threads * (CHUNK));                                   \
    of_team[thread] = launch.seed;                                                                                     \
    _Pragma("omp barrier") uint64_t start = device_clock();                                                            \
    _Pragma(CLAUSE) for (uint32_t i = 0; i < count; ++i) {                                                             \
      sum += i;                                                                                                        \
      OPAQUE_VALUE(sum);                                                                                               \
    }                                                                                                                  \
    uint64_t end = device_clock();                                                                                     \
    _Pragma("omp atomic") of_team[0] += sum;                                                                           \
    _Pragma("omp barrier") if (thread == 0) {                                                                          \
      launch.cycles[team] = end - start;                                                                               \
      uint32_t all = count % 2 ? (count - 1) / 2 * count : count / 2 * (count - 1);                                    \
      if (of_team[0] != launch.seed + all)                                                                             \
        _Pragma("omp atomic") wrong += 1;                                                                              \
    }                                                                                                                  \
  })

KERNEL(fixed, "omp for schedule(static)", 1)
KERNEL(fixed_1, "omp for schedule(static, 1)", 1)
KERNEL(fixed_8, "omp for schedule(static, 8)", 8)
KERNEL(dynamic_1, "omp for schedule(dynamic)", 1)
KERNEL(dynamic_8, "omp for schedule(dynamic, 8)", 8)
KERNEL(guided_1, "omp for schedule(guided)", 1)
KERNEL(guided_8, "omp for schedule(guided, 8)", 8)

static void all(Launch launch, const char *parameters) {
  static const Named kernels[] = {{"static", fixed}, {"static_1", fixed_1}, {"static_8", fixed_8}};
  measure_all(GROUP, kernels, COUNT(kernels), launch, 1, parameters);
}

// Behind all others: LLVM's runtimes do not come to an end with more threads than a warp's.
static void all_dispatched(Launch launch, const char *parameters) {
  static const Named kernels[] = {
      {"dynamic_1", dynamic_1}, {"dynamic_8", dynamic_8}, {"guided_1", guided_1}, {"guided_8", guided_8}};
  measure_all(GROUP, kernels, COUNT(kernels), launch, 1, parameters);
}

int main(int argc, char **argv) {
  read_options(argc, argv);
  for_all_teams(all);
  for_all_teams(all_dispatched);
  return 0;
}
