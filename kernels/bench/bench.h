// What the OpenMP benches share: the device's clock, its memory, and how a kernel is measured.
//
// Cycles are differences of %clock64 in the kernel, read by the first thread of each team; a sample is the median over the
// teams. Samples are as measured: what the loop around the measured thing costs is a figure of its own.
#ifndef BENCH_H
#define BENCH_H

#include "options.h"
#include <omp.h>

// As an intrinsic function and not as inline assembly, in which openmp-opt would have to expect a parallel region.
static inline uint64_t device_clock(void) {
#ifdef __NVPTX__
  return __nvvm_read_ptx_sreg_clock64();
#else
  return 0;
#endif
}

// The compiler has to expect that all memory is read and written here.
#define OPAQUE() __asm__ volatile("" ::: "memory")
// The same for one variable, which then has to be in a register.
#define OPAQUE_VALUE(value) __asm__ volatile("" : "+r"(value))

// Multiprocessors of the device.
static long multiprocessors(void) {
  static long count;
  if (!count) {
    unsigned value = 0;
#pragma omp target map(from : value)
    {
#ifdef __NVPTX__
      value = __nvvm_read_ptx_sreg_nsmid();
#endif
    }
    count = value;
  }
  return count;
}

static void *device_memory(size_t bytes) { return checked(omp_target_alloc(bytes, omp_get_default_device())); }

static void copy_bytes(void *to, const void *from, size_t bytes, int to_device) {
  int device = omp_get_default_device(), host = omp_get_initial_device();
  if (omp_target_memcpy(to, from, bytes, 0, 0, to_device ? device : host, to_device ? host : device)) {
    fprintf(stderr, "copying %zu bytes failed\n", bytes);
    exit(2);
  }
}

// One launch: writes what `count` of the measured thing took in each team to `cycles` (device memory), and gives the number
// of wrong results.
typedef struct {
  long teams, threads, repeats, argument;
  uint32_t seed;
  uint64_t *cycles;
  uint32_t *slots; // device memory, one for each thread
} Launch;
typedef long (*Kernel)(Launch);
typedef struct {
  const char *name;
  Kernel kernel;
} Named;

// An SPMD kernel: what follows the name is what the threads of all teams do. They add wrong results to `wrong`.
#define SPMD_KERNEL(NAME, ...)                                                                                         \
  static long NAME(Launch launch) {                                                                                    \
    long wrong = 0;                                                                                                    \
    _Pragma("omp target teams num_teams(launch.teams) thread_limit(launch.threads) map(tofrom : wrong)")               \
    _Pragma("omp parallel num_threads(launch.threads)") {                                                              \
      long thread = omp_get_thread_num(), team = omp_get_team_num();                                                   \
      uint32_t *of_team = launch.slots + team * launch.threads;                                                        \
      __VA_ARGS__                                                                                                      \
    }                                                                                                                  \
    return wrong;                                                                                                      \
  }

static double started;
__attribute__((constructor)) static void start(void) { started = seconds(); }

// Prints the figure of `kernel`: the cycles of one of `launch.repeats`, of which each counts as `each`.
static void measure(const char *group, const char *name, Kernel kernel, Launch launch, double each,
                    const char *parameters) {
  // Tells what a program was at that does not end.
  fprintf(stderr, "%s %s %s from %.1f s on\n", group, name, parameters, seconds() - started);
  uint64_t *cycles = checked(malloc(launch.teams * sizeof *cycles));
  double *of_teams = checked(malloc(launch.teams * sizeof *of_teams)), values[MAX_SAMPLES];
  size_t slot_bytes = launch.teams * launch.threads * sizeof *launch.slots;
  launch.cycles = device_memory(launch.teams * sizeof *cycles);
  launch.slots = device_memory(slot_bytes);
  uint32_t *poison = checked(malloc(slot_bytes));
  memset(poison, 0xa5, slot_bytes);
  long wrong = 0, missing = 0;
  for (long sample = -1; sample < samples && !wrong && !missing; ++sample) { // the first is not counted
    memset(cycles, 0xff, launch.teams * sizeof *cycles);
    copy_bytes(launch.cycles, cycles, launch.teams * sizeof *cycles, 1);
    copy_bytes(launch.slots, poison, slot_bytes, 1);
    launch.seed = hash(seed + (uint32_t)sample);
    wrong = kernel(launch);
    copy_bytes(cycles, launch.cycles, launch.teams * sizeof *cycles, 0);
    for (long team = 0; team < launch.teams; ++team) {
      missing += cycles[team] == UINT64_MAX;
      of_teams[team] = (double)cycles[team] / launch.repeats / each;
    }
    if (sample >= 0)
      values[sample] = median(of_teams, launch.teams);
  }
  char what[80];
  if (wrong || missing) {
    snprintf(what, sizeof what, "%ld wrong results, %ld teams without cycles", wrong, missing);
    print_wrong(group, name, parameters, what);
  } else {
    print_figure(group, name, parameters, "cycles", samples, values);
  }
  omp_target_free(launch.cycles, omp_get_default_device());
  omp_target_free(launch.slots, omp_get_default_device());
  free(cycles), free(of_teams), free(poison);
}

static inline void measure_all(const char *group, const Named *kernels, size_t count, Launch launch, double each,
                               const char *parameters) {
  for (size_t i = 0; i < count; ++i)
    measure(group, kernels[i].name, kernels[i].kernel, launch, each, parameters);
}

// Threads of a region of a generic kernel that has `threads` threads besides those of the main thread's warp, as far as a
// block holds them.
static inline long generic_size(long threads) { return threads > 1024 - 32 ? 1024 - 32 : threads; }

// Calls `body(launch, parameters)` for all sizes of teams and all numbers of them.
static void for_all_teams(void (*body)(Launch launch, const char *parameters)) {
  for (int t = 0; t < teams_list.count; ++t)
    for (int n = 0; n < threads_list.count; ++n) {
      Launch launch = {.threads = atol(threads_list.words[n]), .repeats = repeats};
      if (launch.threads < 1 || launch.threads > 1024)
        usage(threads_list.words[n]);
      launch.teams = team_count(teams_list.words[t], launch.threads);
      char parameters[80];
      snprintf(parameters, sizeof parameters, "teams=%s threads=%ld", teams_list.words[t], launch.threads);
      body(launch, parameters);
    }
}

#endif
