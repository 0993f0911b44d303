// Checks for the self-checking programs of this folder: one line of output each, a count of failures, an exit code.
//
// A check prints what it found, so the output of a device run can be compared letter by letter with a host run. Where
// the two differ by nature (separate memory, number of threads) use CHECK_THAT, which prints no value.
#ifndef CHECK_H
#define CHECK_H
#include <omp.h>
#include <stdio.h>

static int failures;

static inline void check_double(const char *what, double got, double want) {
  if (got == want) {
    printf("ok   %s = %.17g\n", what, got);
  } else {
    ++failures;
    printf("FAIL %s = %.17g, expected %.17g\n", what, got, want);
  }
}

static inline void check_long(const char *what, long long got, long long want) {
  if (got == want) {
    printf("ok   %s = %lld\n", what, got);
  } else {
    ++failures;
    printf("FAIL %s = %lld, expected %lld\n", what, got, want);
  }
}

static inline void check_that(const char *what, int holds) {
  failures += !holds;
  printf("%s %s\n", holds ? "ok  " : "FAIL", what);
}

// An integer or floating-point value must be exactly `want`.
#ifdef __cplusplus
static inline void check_value(const char *what, double got, double want) { check_double(what, got, want); }
static inline void check_value(const char *what, float got, double want) { check_double(what, got, want); }
template <class T> static void check_value(const char *what, T got, long long want) { check_long(what, got, want); }
#define CHECK(what, got, want) check_value(what, got, want)
#else
#define CHECK(what, got, want)                                                                                         \
  _Generic((got), float: check_double, double: check_double, default: check_long)(what, got, want)
#endif
// A condition must hold.
#define CHECK_THAT(what, condition) check_that(what, (condition) != 0)

// A pragma in a macro.
#define PRAGMA(text) _Pragma(#text)

// Whether target regions run on another device, with memory of its own.
static inline int offloads(void) {
  int host = 1;
#pragma omp target map(from : host)
  host = omp_is_initial_device();
  return !host;
}

// The exit code of the program; says on stderr where the target regions ran.
static inline int finish(void) {
  fprintf(stderr, "ran on the %s\n", offloads() ? "device" : "host");
  printf(failures ? "FAILED\n" : "passed\n");
  return failures != 0;
}
#endif
