// Blocks of memory that each thread copies or fills, in cycles of one of them: an assignment of a structure, `memcpy` and
// `memset` of bytes of which the compiler knows neither length nor alignment, and an array of the thread that begins with zeros.
#include "bench.h"

#define GROUP "blocks"

enum { BYTES = 808, NUMBERS = 64 };

struct Block {
  double numbers[BYTES / sizeof(double) - 1];
  int more;
};

// Device memory, a block for each thread.
static struct Block *sources, *copies;

// What the threads of all teams do with the blocks `source` and `copy`, which they count wrong results of in `mistakes` behind it.
#define BLOCK_KERNEL(NAME, WORK, MISTAKES)                                                                             \
  static long NAME(Launch launch) {                                                                                    \
    long wrong = 0;                                                                                                    \
    struct Block *all_sources = sources, *all_copies = copies;                                                         \
    _Pragma("omp target teams num_teams(launch.teams) thread_limit(launch.threads) map(tofrom : wrong) is_device_ptr(all_sources, all_copies)") \
    _Pragma("omp parallel num_threads(launch.threads)") {                                                              \
      long thread = omp_get_thread_num(), team = omp_get_team_num(), mistakes = 0;                                     \
      struct Block *source = all_sources + team * launch.threads + thread;                                             \
      struct Block *copy = all_copies + team * launch.threads + thread;                                                \
      uint32_t value = hash(launch.seed + thread);                                                                     \
      source->numbers[0] = value, source->more = (int)value;                                                           \
      copy->numbers[0] = 0, copy->more = 0;                                                                            \
      _Pragma("omp barrier") uint64_t start = device_clock();                                                          \
      for (long i = 0; i < launch.repeats; ++i) {                                                                      \
        WORK;                                                                                                          \
        OPAQUE();                                                                                                      \
      }                                                                                                                \
      _Pragma("omp barrier") uint64_t end = device_clock();                                                            \
      mistakes += MISTAKES;                                                                                            \
      if (thread == 0)                                                                                                 \
        launch.cycles[team] = end - start;                                                                             \
      _Pragma("omp atomic") wrong += mistakes;                                                                         \
    }                                                                                                                  \
    return wrong;                                                                                                      \
  }

#define NOT_COPIED (copy->numbers[0] != value || copy->more != (int)value)

BLOCK_KERNEL(structure, *copy = *source, NOT_COPIED)
BLOCK_KERNEL(bytes, memcpy((char *)copy, (char *)source, launch.argument), NOT_COPIED)
BLOCK_KERNEL(filled, memset((char *)copy, value & 255, launch.argument), *(unsigned char *)&copy->more != (value & 255))
BLOCK_KERNEL(
    zeros,
    {
      double of_thread[NUMBERS];
      for (int j = 0; j < NUMBERS; ++j)
        of_thread[j] = 0;
      of_thread[(value + i) % NUMBERS] = 1;
      mistakes += of_thread[value % NUMBERS] != (i % NUMBERS == 0);
    },
    0)

static const Named kernels[] = {{"structure", structure}, {"bytes", bytes}, {"filled", filled}, {"zeros", zeros}};

static void all(Launch launch, const char *parameters) {
  launch.argument = BYTES;
  sources = device_memory(launch.teams * launch.threads * sizeof *sources);
  copies = device_memory(launch.teams * launch.threads * sizeof *copies);
  measure_all(GROUP, kernels, COUNT(kernels), launch, 1, parameters);
  omp_target_free(sources, omp_get_default_device());
  omp_target_free(copies, omp_get_default_device());
}

int main(int argc, char **argv) {
  read_options(argc, argv);
  for_all_teams(all);
  return 0;
}
