// Explicit tasks, in cycles of one task of one thread, from its creation until it has run.
#include "bench.h"

#define GROUP "tasks"

// Every thread makes `launch.repeats` tasks and waits for them: BODY.
#define KERNEL(NAME, BODY)                                                                                             \
  SPMD_KERNEL(NAME, {                                                                                                  \
    uint32_t *mine = of_team + thread, expected = launch.seed;                                                         \
    for (long i = 0; i < launch.repeats; ++i)                                                                          \
      expected += hash(i);                                                                                             \
    *mine = launch.seed;                                                                                               \
    _Pragma("omp barrier") uint64_t start = device_clock();                                                            \
    BODY                                                                                                               \
    _Pragma("omp barrier") uint64_t end = device_clock();                                                              \
    if (thread == 0)                                                                                                   \
      launch.cycles[team] = end - start;                                                                               \
    if (*mine != expected)                                                                                             \
      _Pragma("omp atomic") wrong += 1;                                                                                \
  })
#define ADD _Pragma("omp atomic") *mine += hash(i);

KERNEL(task, for (long i = 0; i < launch.repeats; ++i) _Pragma("omp task firstprivate(i, mine)"){ADD} //
       _Pragma("omp taskwait"))
KERNEL(undeferred, for (long i = 0; i < launch.repeats; ++i) _Pragma("omp task firstprivate(i, mine) if (0)"){ADD})
KERNEL(taskgroup, for (long i = 0; i < launch.repeats; ++i) {
  _Pragma("omp taskgroup") {
    _Pragma("omp task firstprivate(i, mine)") { ADD }
  }
})
KERNEL(taskloop, _Pragma("omp taskloop firstprivate(mine) grainsize(1)") for (long i = 0; i < launch.repeats; ++i){ADD})

static void all(Launch launch, const char *parameters) {
  static const Named kernels[] = {
      {"task", task}, {"undeferred", undeferred}, {"taskgroup", taskgroup}, {"taskloop", taskloop}};
  measure_all(GROUP, kernels, COUNT(kernels), launch, 1, parameters);
}

int main(int argc, char **argv) {
  read_options(argc, argv);
  for_all_teams(all);
  return 0;
}
