// Reductions: over the threads of one team, in cycles of the whole loop in it, and over all teams, in seconds of the whole
// construct, which is one launch. The input is on the device, and another one for each sample.
#include "bench.h"
#include "reductions.h"

#define GROUP "reductions"

static inline void add_complex(Complex *out, const Complex *in) { ADD_COMPLEX(*out, *in); }
static inline void take_place(Place *out, const Place *in) { TAKE_PLACE(*out, *in); }
#pragma omp declare reduction(plus : Complex : add_complex(&omp_out, &omp_in)) initializer(omp_priv = (Complex){0})
#pragma omp declare reduction(later : Place : take_place(&omp_out, &omp_in)) initializer(omp_priv = (Place){-1, -1})

#define STRING(...) _Pragma(#__VA_ARGS__)
#define PRAGMA(...) STRING(__VA_ARGS__)

static void report(const char *name, long elements, long threads, const char *unit, long wrong, const double *values) {
  char parameters[80];
  if (threads)
    snprintf(parameters, sizeof parameters, "elements=%ld threads=%ld", elements, threads);
  else
    snprintf(parameters, sizeof parameters, "elements=%ld", elements);
  if (wrong)
    print_wrong(GROUP, name, parameters, "the result is not that of the host");
  else
    print_figure(GROUP, name, parameters, unit, samples, values);
}

// A reduction by OPERATOR of elements of type T, which COMBINE does for one element, starting from START. WIDE is the type in
// which the host computes.
#define REDUCTION(NAME, KIND, T, WIDE, START, OPERATOR, COMBINE)                                                       \
  static void NAME(long n) {                                                                                           \
    long count = windows(n);                                                                                           \
    T *data = (T *)device_memory(count * n * sizeof *data);                                                            \
    for (long window = 0; window < count; ++window) {                                                                  \
      uint32_t key = hash(seed + window);                                                                              \
      T *x = data + window * n;                                                                                        \
      _Pragma("omp target teams distribute parallel for is_device_ptr(x)") for (long i = 0; i < n; ++i) x[i] =         \
          input_##KIND(key, i);                                                                                        \
    }                                                                                                                  \
    double values[MAX_SAMPLES];                                                                                        \
    long wrong = 0;                                                                                                    \
    WIDE *right = (WIDE *)checked(malloc(count * sizeof *right));                                                      \
    for (long window = 0; window < count; ++window) {                                                                  \
      WIDE whole = START, result = START;                                                                              \
      uint32_t key = hash(seed + window);                                                                              \
      for (long i = 0; i < n && i < PERIOD; ++i) {                                                                     \
        WIDE next = input_##KIND(key, i);                                                                              \
        if (i < n % PERIOD)                                                                                            \
          COMBINE(result, next);                                                                                       \
        COMBINE(whole, next);                                                                                          \
      }                                                                                                                \
      for (long period = 0; period < n / PERIOD; ++period)                                                             \
        COMBINE(result, whole);                                                                                        \
      right[window] = result;                                                                                          \
    }                                                                                                                  \
    for (long sample = -1; sample < samples; ++sample) { /* the first is not counted */                                \
      long window = (sample + count) % count;                                                                          \
      T *x = data + window * n, result = START;                                                                        \
      double start = seconds();                                                                                        \
      PRAGMA(omp target teams distribute parallel for is_device_ptr(x) map(tofrom : result) reduction(OPERATOR : result)) \
      for (long i = 0; i < n; ++i)                                                                                     \
        COMBINE(result, x[i]);                                                                                         \
      if (sample >= 0)                                                                                                 \
        values[sample] = seconds() - start;                                                                            \
      wrong += !same_##KIND(result, right[window]);                                                                    \
    }                                                                                                                  \
    report(#NAME "_teams", n, 0, "seconds", wrong, values);                                                            \
    for (int t = 0; n <= LARGEST_FOR_A_TEAM && t < threads_list.count; ++t) {                                          \
      long threads = atol(threads_list.words[t]);                                                                      \
      wrong = 0;                                                                                                       \
      for (long sample = -1; sample < samples; ++sample) {                                                             \
        long window = (sample + count) % count;                                                                        \
        T *x = data + window * n, result = START;                                                                      \
        uint64_t cycles = UINT64_MAX;                                                                                  \
        _Pragma("omp target parallel num_threads(threads) is_device_ptr(x) map(tofrom : result, cycles)") {            \
          uint64_t start = device_clock();                                                                             \
          PRAGMA(omp for reduction(OPERATOR : result)) for (long i = 0; i < n; ++i) COMBINE(result, x[i]);             \
          uint64_t end = device_clock();                                                                               \
          if (omp_get_thread_num() == 0)                                                                               \
            cycles = end - start;                                                                                      \
        }                                                                                                              \
        if (sample >= 0)                                                                                               \
          values[sample] = (double)cycles;                                                                             \
        wrong += !same_##KIND(result, right[window]) || cycles == UINT64_MAX;                                          \
      }                                                                                                                \
      report(#NAME "_team", n, threads, "cycles", wrong, values);                                                      \
    }                                                                                                                  \
    omp_target_free(data, omp_get_default_device());                                                                   \
    free(right);                                                                                                       \
  }

enum { LARGEST_FOR_A_TEAM = 1000000 };

FOR_REDUCTIONS(REDUCTION)

int main(int argc, char **argv) {
  read_options(argc, argv);
  for (int i = 0; i < sizes_list.count; ++i) {
    long n = (long)atof(sizes_list.words[i]); // 1e9 too
    if (n < 1)
      usage(sizes_list.words[i]);
#define MEASURE(NAME, ...) NAME(n);
    FOR_REDUCTIONS(MEASURE)
  }
  return 0;
}
