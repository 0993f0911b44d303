/* Streams of doubles in OpenMP. */
#include "stream.h"
#include "openmp.h"

#define KERNEL(name, value)                                                                                           \
  static void name(long n, const double *a, const double *b, double *c) {                                             \
    _Pragma("omp target teams distribute parallel for is_device_ptr(a, b, c)") for (long i = 0; i < n; ++i)           \
        c[i] = value;                                                                                                 \
  }
KERNEL(copy, a[i])
KERNEL(mul, SCALAR *a[i])
KERNEL(add, a[i] + b[i])
KERNEL(triad, a[i] + SCALAR * b[i])
