/* Conjugate gradients for the 5-point Poisson matrix on a square grid. SIZE is the side of the grid. */
#include "whole.h"

/* Kernels; the addresses are the device's. */
static double dot(long n, const double *a, const double *b);
static void apply(int side, const double *p, double *q);                              /* q = A p */
static void update(long n, double alpha, const double *p, const double *q, double *x, double *r);
static void direction(long n, double beta, const double *r, double *p);               /* p = r + beta p */

/* One row of A v; v may be the host's or the device's. */
#define AT(v, row, column) ((row) < 0 || (column) < 0 || (row) >= side || (column) >= side ? 0.0 : (v)[(row) * side + (column)])
#define ROW(v, row, column)                                                                                           \
  (4.0 * AT(v, row, column) - AT(v, (row) - 1, column) - AT(v, (row) + 1, column) - AT(v, row, (column) - 1) -         \
   AT(v, row, (column) + 1))

enum { ITERATIONS = 20 };

int main(int argc, char **argv) {
  begin(argc, argv);
  int side = (int)size;
  long n = (long)side * side;
  size_t bytes = n * sizeof(double);
  double *b = (double *)on_host(bytes), *zero = (double *)on_host(bytes), *x = (double *)on_host(bytes);
  double seconds[MOST_SAMPLES], rr = 0, energy = 0;
  for (long i = 0; i < n; ++i)
    b[i] = number(), zero[i] = 0;
  double *dx = (double *)on_device(bytes), *dr = (double *)on_device(bytes);
  double *dp = (double *)on_device(bytes), *dq = (double *)on_device(bytes);
  for (int sample = -1; sample < samples; ++sample) { /* the first is not timed but checked */
    to_device(dx, zero, bytes);
    to_device(dr, b, bytes);
    to_device(dp, b, bytes);
    double start = now();
    rr = dot(n, dr, dr);
    energy = 0;
    for (int iteration = 0; iteration < ITERATIONS; ++iteration) {
      apply(side, dp, dq);
      double alpha = rr / dot(n, dp, dq);
      energy += alpha * rr;
      update(n, alpha, dp, dq, dx, dr);
      double next = dot(n, dr, dr);
      direction(n, next / rr, dr, dp);
      rr = next;
    }
    if (sample >= 0) {
      seconds[sample] = (now() - start) / ITERATIONS;
      continue;
    }
    /* on the host: the residual of the solution x is that of the recurrence, and b x is the sum of what each step adds */
    double residual = 0, product = 0;
    from_device(x, dx, bytes);
    for (int row = 0; row < side; ++row)
      for (int column = 0; column < side; ++column) {
        double rest = b[(long)row * side + column] - ROW(x, (long)row, column);
        residual += rest * rest;
        product += b[(long)row * side + column] * x[(long)row * side + column];
      }
    check("cg", 0, residual, rr, 1e-6 * rr);
    check("cg", 1, product, energy, 1e-6 * energy);
  }
  report("cg", seconds, 14.0 * bytes, 0);
  return 0;
}
