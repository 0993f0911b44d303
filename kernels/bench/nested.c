// Regions inside a region, in cycles of one inner region, and of a barrier in one. Apart from parallel.c: a program in which
// regions can nest pays for that in all its regions.
#include "bench.h"

#define GROUP "nested"

// Regions inside a region of `launch.argument` threads: threads that are not in that one may join.
static long nested(Launch launch) {
  long wrong = 0;
#pragma omp target teams num_teams(launch.teams) thread_limit(launch.threads) map(tofrom : wrong)
  {
    omp_set_max_active_levels(2);
    uint32_t *mine = launch.slots + omp_get_team_num() * launch.threads;
    uint64_t cycles = 0;
#pragma omp parallel num_threads(launch.argument)
    if (omp_get_thread_num() == 0) {
      uint32_t sum = 0, size = 0;
#pragma omp parallel
      {
        mine[omp_get_thread_num()] = hash(launch.seed) + 1;
        if (omp_get_thread_num() == 0)
          size = omp_get_num_threads();
      }
      for (uint32_t i = 0; i < size; ++i)
        sum += mine[i];
      if (size == 0 || sum != size * (hash(launch.seed) + 1))
#pragma omp atomic
        wrong += 1;
      uint64_t start = device_clock();
      for (long i = 0; i < launch.repeats; ++i) {
#pragma omp parallel
        { OPAQUE(); }
      }
      cycles = device_clock() - start;
    }
    launch.cycles[omp_get_team_num()] = cycles;
  }
  return wrong;
}

// Barriers of the inner region's team, after two that show that they are.
static long nested_barrier(Launch launch) {
  long wrong = 0;
#pragma omp target teams num_teams(launch.teams) thread_limit(launch.threads) map(tofrom : wrong)
  {
    omp_set_max_active_levels(2);
    uint32_t *mine = launch.slots + omp_get_team_num() * launch.threads;
    uint64_t cycles = 0;
#pragma omp parallel num_threads(launch.argument)
    if (omp_get_thread_num() == 0) {
#pragma omp parallel
      {
        uint32_t thread = omp_get_thread_num(), neighbour = (thread + 1) % omp_get_num_threads();
        mine[thread] = hash(launch.seed + thread);
#pragma omp barrier
        if (*(volatile uint32_t *)(mine + neighbour) != hash(launch.seed + neighbour))
#pragma omp atomic
          wrong += 1;
#pragma omp barrier
        uint64_t start = device_clock();
        for (long i = 0; i < launch.repeats; ++i) {
          OPAQUE();
#pragma omp barrier
        }
        OPAQUE();
        if (thread == 0)
          cycles = device_clock() - start;
      }
    }
    launch.cycles[omp_get_team_num()] = cycles;
  }
  return wrong;
}

static void all(Launch launch, const char *parameters) {
  const struct {
    const char *word;
    long size;
  } outer[] = {{"all", launch.threads}, {"2", 2}};
  for (size_t i = 0; i < COUNT(outer); ++i) {
    char with[120];
    snprintf(with, sizeof with, "%s outer=%s", parameters, outer[i].word);
    launch.argument = outer[i].size;
    measure(GROUP, "empty", nested, launch, 1, with);
    measure(GROUP, "barrier", nested_barrier, launch, 1, with);
  }
}

int main(int argc, char **argv) {
  read_options(argc, argv);
  for_all_teams(all);
  return 0;
}
