// The reductions in CUDA, for baseline.cu and cub.cu: each as a type, what is right, and the loop over all of them.
#ifndef REDUCTIONS_CUDA_H
#define REDUCTIONS_CUDA_H

#include "reductions.h"

// A reduction: its types, where it starts, one more element, and the inputs. As a function object it is what CUB takes.
#define REDUCTION(NAME, KIND, T, WIDE, START, OPERATOR, COMBINE)                                                       \
  struct NAME {                                                                                                        \
    typedef T Value;                                                                                                   \
    typedef WIDE Wide;                                                                                                 \
    static const char *name() { return #NAME "_teams"; }                                                               \
    template <typename V> BOTH static void start(V *result) {                                                          \
      V value = START;                                                                                                 \
      *result = value;                                                                                                 \
    }                                                                                                                  \
    template <typename V> BOTH static void combine(V *result, const V *next) { COMBINE(*result, *next); }              \
    template <typename V> BOTH static void input(V *value, uint32_t key, long i) { *value = input_##KIND(key, i); }    \
    static bool same(const Value *result, const Wide *right) { return same_##KIND(*result, *right); }                  \
    BOTH T operator()(T a, T b) const {                                                                                \
      combine(&a, &b);                                                                                                 \
      return a;                                                                                                        \
    }                                                                                                                  \
  };
FOR_REDUCTIONS(REDUCTION)

// What the reduction of the `n` elements of the input `key` has to give.
template <typename R> static typename R::Wide right_result(uint32_t key, long n) {
  typename R::Wide whole, all, next;
  R::start(&whole), R::start(&all);
  for (long i = 0; i < n && i < PERIOD; ++i) {
    R::input(&next, key, i);
    if (i < n % PERIOD)
      R::combine(&all, &next);
    R::combine(&whole, &next);
  }
  for (long period = 0; period < n / PERIOD; ++period)
    R::combine(&all, &whole);
  return all;
}

template <typename R> static void report(long n, long mistakes, const double *values) {
  char parameters[40];
  snprintf(parameters, sizeof parameters, "elements=%ld", n);
  if (mistakes)
    print_wrong("reductions", R::name(), parameters, "the result is not that of the host");
  else
    print_figure("reductions", R::name(), parameters, "seconds", samples, values);
}

// Each source has its own.
template <typename R> static void time_reduction(long n);

static void time_reductions() {
  for (int i = 0; i < sizes_list.count; ++i) {
    long n = (long)atof(sizes_list.words[i]); // 1e9 too
    if (n < 1)
      usage(sizes_list.words[i]);
#define TIME(NAME, ...) time_reduction<NAME>(n);
    FOR_REDUCTIONS(TIME)
  }
}

#endif
