// Device memory that the compiler takes for variables of serial code whose address it loses (`__kmpc_alloc_shared`), in
// cycles of one allocation with its release: by all threads of an SPMD kernel at once, and by the main thread of a generic
// kernel.
#include "bench.h"

#define GROUP "memory"

#ifdef __NVPTX__
void *__kmpc_alloc_shared(size_t bytes);
void __kmpc_free_shared(void *memory, size_t bytes);
#else // never run
#define __kmpc_alloc_shared malloc
#define __kmpc_free_shared(memory, bytes) free(memory)
#endif

// The allocation must not become a variable: so nobody knows what becomes of the pointer. Its words are written and read.
static inline long allocate(long bytes, uint32_t value) {
  uint32_t *memory = __kmpc_alloc_shared(bytes);
  long last = bytes / sizeof *memory - 1;
  memory[0] = value, memory[last] = value + 1;
  __asm__ volatile("" : "+l"(memory)::"memory");
  long wrong = memory[0] != value + (last == 0) || memory[last] != value + 1;
  __kmpc_free_shared(memory, bytes);
  return wrong;
}

static long by_all(Launch launch) {
  long wrong = 0;
#pragma omp target teams num_teams(launch.teams) thread_limit(launch.threads) map(tofrom : wrong)
#pragma omp parallel num_threads(launch.threads)
  {
    long thread = omp_get_thread_num(), mistakes = 0;
#pragma omp barrier
    uint64_t start = device_clock();
    for (long i = 0; i < launch.repeats; ++i)
      mistakes += allocate(launch.argument, hash(launch.seed + i * 1024 + thread));
#pragma omp barrier
    uint64_t end = device_clock();
    if (thread == 0)
      launch.cycles[omp_get_team_num()] = end - start;
#pragma omp atomic
    wrong += mistakes;
  }
  return wrong;
}

static long by_main(Launch launch) {
  long wrong = 0;
#pragma omp target teams num_teams(launch.teams) thread_limit(launch.threads) map(tofrom : wrong)
  {
    long mistakes = 0;
    uint64_t start = device_clock();
    for (long i = 0; i < launch.repeats; ++i)
      mistakes += allocate(launch.argument, hash(launch.seed + i));
    launch.cycles[omp_get_team_num()] = device_clock() - start;
#pragma omp parallel
#pragma omp atomic
    wrong += mistakes;
  }
  return wrong;
}

static void all(Launch launch, const char *parameters) {
  static const long sizes[] = {8, 64, 1024};
  for (size_t i = 0; i < COUNT(sizes); ++i) {
    char with[120];
    snprintf(with, sizeof with, "%s bytes=%ld", parameters, sizes[i]);
    launch.argument = sizes[i];
    measure(GROUP, "by_all_threads", by_all, launch, 1, with);
    measure(GROUP, "by_main_thread", by_main, launch, 1, with);
  }
}

int main(int argc, char **argv) {
  read_options(argc, argv);
  for_all_teams(all);
  return 0;
}
