// What the benches of device code share on the host, in C and C++: their command line and their output
// (tests-gpu/src/figures.rs).
//
// A bench takes KEY=VALUE arguments: samples (of each figure), repeats (of the measured thing in a sample), threads (of a
// team, a list), teams (a list of numbers, `sm`: one for each multiprocessor, `full`: as many as all of them hold at
// once), sizes (a list), seed (of the inputs; else by the clock).
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

enum { MAX_SAMPLES = 100, MAX_LIST = 32 };

static long samples = 3, repeats = 10;
static uint32_t seed;

typedef struct {
  int count;
  char words[MAX_LIST][24];
} List;

static List threads_list = {1, {"32"}}, teams_list = {1, {"1"}}, sizes_list = {1, {"1000"}};

#ifdef __CUDACC__ // nvcc, which has its own words, or clang
#define BOTH __host__ __device__
#elif defined __CUDA__
#define BOTH __attribute__((host, device))
#else
#define BOTH
#endif

// A number that looks random (the finaliser of MurmurHash3).
BOTH static inline uint32_t hash(uint32_t x) {
  x = (x ^ x >> 16) * 0x85ebca6bu;
  x = (x ^ x >> 13) * 0xc2b2ae35u;
  return x ^ x >> 16;
}

// Of the host's clock.
static inline double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec + now.tv_nsec * 1e-9;
}

// Multiprocessors of the device; each language asks in its own way.
static long multiprocessors(void);

static inline void usage(const char *word) {
  fprintf(stderr, "%s is not understood: samples=N repeats=N seed=N threads=N,N teams=N,sm,full sizes=N,N\n", word);
  exit(2);
}

static inline void read_list(List *list, const char *argument, const char *values) {
  list->count = 0;
  for (const char *p = values; *p;) {
    size_t length = strcspn(p, ",");
    if (length == 0 || length >= sizeof list->words[0] || list->count == MAX_LIST)
      usage(argument);
    memcpy(list->words[list->count], p, length);
    list->words[list->count++][length] = 0;
    p += length + (p[length] == ',');
  }
  if (list->count == 0)
    usage(argument);
}

static inline void read_options(int argc, char **argv) {
  setvbuf(stdout, NULL, _IOLBF, 0); // what is measured is there, whatever becomes of the rest
  seed = (uint32_t)(seconds() * 1e6);
  for (int i = 1; i < argc; ++i) {
    char *value = strchr(argv[i], '=');
    if (!value)
      usage(argv[i]);
    size_t length = value++ - argv[i];
    const struct {
      const char *name;
      List *list;
      long *number;
    } known[] = {{"threads", &threads_list, NULL}, {"teams", &teams_list, NULL}, {"sizes", &sizes_list, NULL},
                 {"samples", NULL, &samples},      {"repeats", NULL, &repeats}};
    int found = length == 4 && !strncmp(argv[i], "seed", length);
    if (found)
      seed = (uint32_t)strtoul(value, NULL, 0);
    for (size_t k = 0; k < COUNT(known); ++k) {
      if (strlen(known[k].name) != length || strncmp(known[k].name, argv[i], length))
        continue;
      found = 1;
      if (known[k].list)
        read_list(known[k].list, argv[i], value);
      else
        *known[k].number = atol(value);
    }
    if (!found)
      usage(argv[i]);
  }
  if (samples < 1 || samples > MAX_SAMPLES || repeats < 1)
    usage("this number of samples or repeats");
  printf("seed=%u\n", seed); // repeats the run
}

// The number of teams of `threads` threads that a word of `teams=` stands for. A multiprocessor holds 32 blocks and 2048
// threads of sm_70 to sm_90.
static inline long team_count(const char *word, long threads) {
  if (!strcmp(word, "sm"))
    return multiprocessors();
  if (!strcmp(word, "full")) {
    long held = 2048 / threads;
    return multiprocessors() * (held > 32 ? 32 : held);
  }
  long count = atol(word);
  if (count < 1)
    usage(word);
  return count;
}

static inline void print_figure(const char *group, const char *name, const char *parameters, const char *unit, long count,
                         const double *values) {
  printf("figure %s %s%s%s %s :", group, name, *parameters ? " " : "", parameters, unit);
  for (long i = 0; i < count; ++i)
    printf(" %.9g", values[i]);
  putchar('\n');
  fflush(stdout);
}

static inline void print_wrong(const char *group, const char *name, const char *parameters, const char *what) {
  printf("wrong %s %s%s%s: %s\n", group, name, *parameters ? " " : "", parameters, what);
  fflush(stdout);
}

static inline int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static inline double median(double *values, long count) {
  qsort(values, count, sizeof *values, by_value);
  return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

static inline void *checked(void *memory) {
  if (!memory) {
    fprintf(stderr, "no memory\n");
    exit(2);
  }
  return memory;
}

#endif
