/* What the whole programs share: arguments, fresh random inputs, poisoned device memory, the clock and the report.

   Each program is `NAME.h` (the host's half: inputs, check, time) with `NAME.c` (kernels in OpenMP) or `NAME.cu` (kernels
   in CUDA): the same data at the same addresses. It checks its results first and then prints lines for
   tests-gpu/src/figures.rs. */
#ifndef WHOLE_H
#define WHOLE_H

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Not every program needs all of this. */
#define TOOL __attribute__((unused)) static

enum { MOST_SAMPLES = 64 };

static long size;   /* first argument; each program says what it is the size of */
static int samples; /* second argument */
static unsigned long random_state;

TOOL double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

TOOL void begin(int argc, char **argv) {
  size = argc == 3 ? atol(argv[1]) : 0;
  samples = argc == 3 ? atoi(argv[2]) : 0;
  if (size < 1 || samples < 1 || samples > MOST_SAMPLES) {
    fprintf(stderr, "usage: %s SIZE SAMPLES\n", argv[0]);
    exit(2);
  }
  random_state = (unsigned long)time(NULL) * 0x9e3779b97f4a7c15ul | 1;
}

/* Uniform in [0, 1), other numbers in each run. */
TOOL double number(void) {
  random_state ^= random_state << 13, random_state ^= random_state >> 7, random_state ^= random_state << 17;
  return (double)(random_state >> 11) * (1.0 / 9007199254740992.0);
}

TOOL void *on_host(size_t bytes) {
  void *memory = malloc(bytes);
  if (!memory) {
    fprintf(stderr, "no memory for %zu bytes on the host\n", bytes);
    exit(2);
  }
  return memory;
}

TOOL void to_device(void *device, const void *host, size_t bytes) {
  if (omp_target_memcpy(device, (void *)host, bytes, 0, 0, omp_get_default_device(), omp_get_initial_device()))
    exit(2);
}

TOOL void from_device(void *host, void *device, size_t bytes) {
  if (omp_target_memcpy(host, device, bytes, 0, 0, omp_get_initial_device(), omp_get_default_device()))
    exit(2);
}

/* Every double and float becomes a NaN: what a kernel leaves out does not pass a check. */
TOOL void poison(void *device, size_t bytes) {
  void *memory = on_host(bytes);
  memset(memory, 0xff, bytes);
  to_device(device, memory, bytes);
  free(memory);
}

TOOL void *on_device(size_t bytes) {
  void *memory = omp_target_alloc(bytes, omp_get_default_device());
  if (!memory) {
    fprintf(stderr, "no memory for %zu bytes on the device\n", bytes);
    exit(2);
  }
  poison(memory, bytes);
  return memory;
}

TOOL void *copied_to_device(const void *host, size_t bytes) {
  void *memory = on_device(bytes);
  to_device(memory, host, bytes);
  return memory;
}

/* Ends the program unless the result is the expected one up to `tolerance`; false for a NaN. */
TOOL void check(const char *name, long index, double result, double expected, double tolerance) {
  if (__builtin_fabs(result - expected) <= tolerance)
    return;
  printf("wrong %s size=%ld: %.17g instead of %.17g at %ld\n", name, size, result, expected, index);
  exit(1);
}

/* The line of one quantity, `amount` of which takes each of the times; the times themselves for amount 0. */
TOOL void line(const char *name, const char *unit, double amount, const double *seconds) {
  printf("figure programs %s size=%ld %s :", name, size, unit);
  for (int i = 0; i < samples; ++i)
    printf(" %.6e", amount > 0 ? amount / seconds[i] : seconds[i]);
  printf("\n");
}

/* What one piece of work took, and how many bytes it moves and operations it makes, 0 where that is no measure of it. */
TOOL void report(const char *name, const double *seconds, double bytes, double operations) {
  line(name, "seconds", 0, seconds);
  if (bytes > 0)
    line(name, "bytes_per_second", bytes, seconds);
  if (operations > 0)
    line(name, "flops", operations, seconds);
}

/* Times so many iterations of the statement a sample, behind one that is not timed. */
#define TIME(iterations, seconds, statement)                                                                          \
  do {                                                                                                                \
    statement;                                                                                                        \
    for (int sample_ = 0; sample_ < samples; ++sample_) {                                                             \
      double start_ = now();                                                                                          \
      for (int iteration_ = 0; iteration_ < (iterations); ++iteration_)                                               \
        statement;                                                                                                    \
      (seconds)[sample_] = (now() - start_) / (iterations);                                                           \
    }                                                                                                                 \
  } while (0)

#endif
