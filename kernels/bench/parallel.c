// Parallel regions of teams with serial code, in cycles of one region: empty ones, and such with shared variables. Which kernel the compiler makes of it, with the runtime's state machine, one of its own, or SPMD, say its
// options, and -DGROUP the name of that.
#include "bench.h"

#ifndef GROUP
#define GROUP "parallel"
#endif

// Regions with nothing in them; a region without the assembly would be removed. First one in which each thread of a team of
// the right size writes a number.
static long empty(Launch launch) {
  long wrong = 0;
#pragma omp target teams num_teams(launch.teams) thread_limit(launch.threads) map(tofrom : wrong)
  {
    uint32_t *mine = launch.slots + omp_get_team_num() * launch.threads, size = 0;
#pragma omp parallel
    {
      long thread = omp_get_thread_num();
      mine[thread] = hash(launch.seed + thread);
      if (thread == 0)
        size = omp_get_num_threads();
    }
    long mistakes = size != launch.threads && size != generic_size(launch.threads);
    for (long i = 0; i < size; ++i)
      mistakes += mine[i] != hash(launch.seed + i);
#pragma omp atomic
    wrong += mistakes;
    uint64_t start = device_clock();
    for (long i = 0; i < launch.repeats; ++i) {
#pragma omp parallel
      { OPAQUE(); }
    }
    launch.cycles[omp_get_team_num()] = device_clock() - start;
  }
  return wrong;
}

// N variables that the serial code has and one thread of each region changes.
#define VARIABLES_1(DO) DO(0)
#define VARIABLES_2(DO) VARIABLES_1(DO) DO(1)
#define VARIABLES_4(DO) VARIABLES_2(DO) DO(2) DO(3)
#define VARIABLES_8(DO) VARIABLES_4(DO) DO(4) DO(5) DO(6) DO(7)
#define VARIABLES_16(DO) VARIABLES_8(DO) DO(8) DO(9) DO(10) DO(11) DO(12) DO(13) DO(14) DO(15)
#define VARIABLES_32(DO)                                                                                               \
  VARIABLES_16(DO)                                                                                                     \
  DO(16) DO(17) DO(18) DO(19) DO(20) DO(21) DO(22) DO(23) DO(24) DO(25) DO(26) DO(27) DO(28) DO(29) DO(30) DO(31)
#define VARIABLES_64(DO)                                                                                               \
  VARIABLES_32(DO)                                                                                                     \
  DO(32) DO(33) DO(34) DO(35) DO(36) DO(37) DO(38) DO(39) DO(40) DO(41) DO(42) DO(43) DO(44) DO(45) DO(46) DO(47)      \
  DO(48) DO(49) DO(50) DO(51) DO(52) DO(53) DO(54) DO(55) DO(56) DO(57) DO(58) DO(59) DO(60) DO(61) DO(62) DO(63)
#define DECLARE(I) uint32_t v##I = launch.seed + I;
#define CHANGE(I) v##I += I + 1;
#define CHECK(I) mistakes += v##I != launch.seed + I + (I + 1) * (uint32_t)launch.repeats;
#define SHARED(N)                                                                                                      \
  static long shared_##N(Launch launch) {                                                                              \
    long wrong = 0;                                                                                                    \
    _Pragma("omp target teams num_teams(launch.teams) thread_limit(launch.threads) map(tofrom : wrong)") {             \
      VARIABLES_##N(DECLARE) long mistakes = 0;                                                                        \
      uint64_t start = device_clock();                                                                                 \
      for (long i = 0; i < launch.repeats; ++i) {                                                                      \
        _Pragma("omp parallel") if (omp_get_thread_num() == 0) { VARIABLES_##N(CHANGE) }                               \
      }                                                                                                                \
      launch.cycles[omp_get_team_num()] = device_clock() - start;                                                      \
      VARIABLES_##N(CHECK)                                                                                             \
      _Pragma("omp atomic") wrong += mistakes;                                                                         \
    }                                                                                                                  \
    return wrong;                                                                                                      \
  }
SHARED(1)
SHARED(2)
SHARED(4)
SHARED(8)
SHARED(16)
SHARED(32)
SHARED(64)

static void all(Launch launch, const char *parameters) {
  static const Named kernels[] = {{"empty", empty},       {"shared_1", shared_1},   {"shared_2", shared_2},
                                  {"shared_4", shared_4}, {"shared_8", shared_8},   {"shared_16", shared_16},
                                  {"shared_32", shared_32}, {"shared_64", shared_64}};
  measure_all(GROUP, kernels, COUNT(kernels), launch, 1, parameters);
}

int main(int argc, char **argv) {
  read_options(argc, argv);
  for_all_teams(all);
  return 0;
}
