// Kernels that do nothing, in seconds of one launch that is waited for: what the runtime does at the start and the end of a
// kernel shows between numbers of teams, and beside a CUDA kernel (baseline.cu).
#include "bench.h"

#define GROUP "launch"

// One word a team if there is somewhere to put it, which shows that all teams ran.
#define WORK                                                                                                           \
  if (words)                                                                                                           \
    words[omp_get_team_num()] = hash(value + omp_get_team_num());

static void spmd(long teams, long threads, uint32_t *words, uint32_t value) {
#pragma omp target teams num_teams(teams) thread_limit(threads) is_device_ptr(words)
#pragma omp parallel num_threads(threads)
  if (omp_get_thread_num() == 0) {
    WORK
  }
}

// For the assembly clang leaves it generic; our passes do not.
static void generic(long teams, long threads, uint32_t *words, uint32_t value) {
#pragma omp target teams num_teams(teams) thread_limit(threads) is_device_ptr(words)
  {
    OPAQUE();
    if (words) {
#pragma omp parallel
      if (omp_get_thread_num() == 0) {
        WORK
      }
    }
  }
}

static void all(Launch launch, const char *parameters) {
  static const struct {
    const char *name;
    void (*run)(long teams, long threads, uint32_t *words, uint32_t value);
  } kernels[] = {{"spmd", spmd}, {"generic", generic}};
  size_t bytes = launch.teams * sizeof(uint32_t);
  uint32_t *words = (uint32_t *)checked(malloc(bytes)), *on_device = (uint32_t *)device_memory(bytes);
  for (size_t k = 0; k < COUNT(kernels); ++k) {
    memset(words, 0xa5, bytes);
    copy_bytes(on_device, words, bytes, 1);
    kernels[k].run(launch.teams, launch.threads, on_device, seed);
    copy_bytes(words, on_device, bytes, 0);
    long wrong = 0;
    for (long team = 0; team < launch.teams; ++team)
      wrong += words[team] != hash(seed + (uint32_t)team);
    if (wrong) {
      print_wrong(GROUP, kernels[k].name, parameters, "not all teams ran");
      continue;
    }
    double values[MAX_SAMPLES];
    for (long sample = 0; sample < samples; ++sample) {
      double start = seconds();
      for (long i = 0; i < launch.repeats; ++i)
        kernels[k].run(launch.teams, launch.threads, NULL, seed);
      values[sample] = (seconds() - start) / launch.repeats;
    }
    print_figure(GROUP, kernels[k].name, parameters, "seconds", samples, values);
  }
  omp_target_free(on_device, omp_get_default_device());
  free(words);
}

int main(int argc, char **argv) {
  read_options(argc, argv);
  for_all_teams(all);
  return 0;
}
