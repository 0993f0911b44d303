// saxpy and reductions (+, max) in double, float and int over 100,000 elements (or `ELEMENTS`), as
// `target teams distribute parallel for`: the SPMD kernels that most programs consist of.
//
// The data is chosen so that every partial sum is exact in its type. The result is then the same for every order of
// summation, every team size and every schedule, and the output can be compared letter by letter with a host run.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef ELEMENTS
#define ELEMENTS 100000
#endif
enum { N = ELEMENTS };

#define PROGRAM(T, NAME, FORMAT)                                                                                       \
  static int NAME(void) {                                                                                              \
    T *x = malloc(N * sizeof *x), *y = malloc(N * sizeof *y);                                                          \
    if (!x || !y)                                                                                                      \
      return 1;                                                                                                        \
    T a = 3, sum = 0, largest = -1, host_sum = 0, host_largest = -1;                                                   \
    int wrong = 0, on_host = 0;                                                                                        \
    for (int i = 0; i < N; ++i) {                                                                                      \
      x[i] = (T)(i % 17);                                                                                          \
      y[i] = (T)((i * 7) % 29);                                                                                        \
    }                                                                                                                  \
    _Pragma("omp target teams distribute parallel for map(to : x[0 : N]) map(tofrom : y[0 : N])")                      \
    for (int i = 0; i < N; ++i)                                                                                        \
      y[i] = a * x[i] + y[i];                                                                                          \
    _Pragma("omp target teams distribute parallel for map(to : y[0 : N]) reduction(+ : sum) reduction(max : largest)") \
    for (int i = 0; i < N; ++i) {                                                                                      \
      sum += y[i];                                                                                                     \
      largest = y[i] > largest ? y[i] : largest;                                                                       \
    }                                                                                                                  \
    _Pragma("omp target map(from : on_host)")                                                                          \
    on_host = omp_is_initial_device();                                                                                 \
    for (int i = 0; i < N; ++i) {                                                                                      \
      T expected = a * (T)(i % 17) + (T)((i * 7) % 29);                                                                \
      wrong += y[i] != expected;                                                                                       \
      host_sum += expected;                                                                                            \
      host_largest = expected > host_largest ? expected : host_largest;                                                \
    }                                                                                                                  \
    printf("%-6s sum %" FORMAT " max %" FORMAT " wrong elements %d\n", #T, sum, largest, wrong);                       \
    fprintf(stderr, "%s: ran on the %s\n", #T, on_host ? "host" : "device");                                           \
    free(x);                                                                                                           \
    free(y);                                                                                                           \
    return wrong || sum != host_sum || largest != host_largest;                                                        \
  }

PROGRAM(double, in_double, ".1f")
PROGRAM(float, in_float, ".1f")
PROGRAM(int, in_int, "d")

int main(void) {
  int failed = in_double() + in_float() + in_int();
  puts(failed ? "FAILED" : "passed");
  return failed != 0;
}
