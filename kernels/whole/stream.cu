/* Streams of doubles in CUDA. */
#include "stream.h"
#include "device.h"

#define KERNEL(name, value)                                                                                           \
  __global__ void name##_kernel(long n, const double *a, const double *b, double *c) {                                \
    long i = POSITION;                                                                                                \
    if (i < n)                                                                                                        \
      c[i] = value;                                                                                                   \
  }                                                                                                                   \
  static void name(long n, const double *a, const double *b, double *c) {                                             \
    name##_kernel<<<blocks(n), WIDTH>>>(n, a, b, c);                                                                  \
  }
KERNEL(copy, a[i])
KERNEL(mul, SCALAR *a[i])
KERNEL(add, a[i] + b[i])
KERNEL(triad, a[i] + SCALAR * b[i])
