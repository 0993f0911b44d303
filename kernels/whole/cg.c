/* Conjugate gradients in OpenMP. */
#include "cg.h"
#include "openmp.h"

static void apply(int side, const double *p, double *q) {
#pragma omp target teams distribute parallel for collapse(2) is_device_ptr(p, q)
  for (long row = 0; row < side; ++row)
    for (int column = 0; column < side; ++column)
      q[row * side + column] = ROW(p, row, column);
}

static void update(long n, double alpha, const double *p, const double *q, double *x, double *r) {
#pragma omp target teams distribute parallel for is_device_ptr(p, q, x, r)
  for (long i = 0; i < n; ++i) {
    x[i] += alpha * p[i];
    r[i] -= alpha * q[i];
  }
}

static void direction(long n, double beta, const double *r, double *p) {
#pragma omp target teams distribute parallel for is_device_ptr(r, p)
  for (long i = 0; i < n; ++i)
    p[i] = r[i] + beta * p[i];
}
