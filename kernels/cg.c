// Conjugate gradients for the 5-point Poisson matrix on a square grid, to convergence.
//
// The vectors stay on the device (`target data`), scalars come back as reductions, the solution is fetched in between
// with `target update`, the grid size is a `declare target` global, and the matrix row is applied by a chain of
// `declare target` functions.
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 64, N = SIDE * SIDE, MOST_ITERATIONS = 1000 };

#pragma omp begin declare target
int side = 0; // set by `target update to`
static double at(const double *v, int row, int column) {
  return row < 0 || column < 0 || row >= side || column >= side ? 0.0 : v[row * side + column];
}
static double neighbours(const double *v, int row, int column) {
  return at(v, row - 1, column) + at(v, row + 1, column) + at(v, row, column - 1) + at(v, row, column + 1);
}
static double poisson_row(const double *v, int i) {
  int row = i / side, column = i % side;
  return 4.0 * v[i] - neighbours(v, row, column);
}
#pragma omp end declare target

static double dot(const double *a, const double *b) {
  double sum = 0;
#pragma omp target teams distribute parallel for map(to : a[0 : N], b[0 : N]) reduction(+ : sum)
  for (int i = 0; i < N; ++i)
    sum += a[i] * b[i];
  return sum;
}

int main(void) {
  double *b = malloc(N * sizeof *b), *x = malloc(N * sizeof *x), *r = malloc(N * sizeof *r);
  double *p = malloc(N * sizeof *p), *q = malloc(N * sizeof *q);
  if (!b || !x || !r || !p || !q)
    return 1;
  for (int i = 0; i < N; ++i)
    b[i] = sin(0.1 * (i % SIDE)) + 0.01 * (i / SIDE), x[i] = 0;
  side = SIDE;
#pragma omp target update to(side)

  int iterations = 0, on_host = 0;
  double first_residual = 0, halfway = 0;
#pragma omp target data map(to : b[0 : N]) map(tofrom : x[0 : N]) map(alloc : r[0 : N], p[0 : N], q[0 : N])
  {
#pragma omp target teams distribute parallel for map(from : on_host)
    for (int i = 0; i < N; ++i) {
      r[i] = b[i] - poisson_row(x, i);
      p[i] = r[i];
      if (i == 0)
        on_host = omp_is_initial_device();
    }
    double rr = dot(r, r);
    first_residual = sqrt(rr);
    while (sqrt(rr) > 1e-10 * first_residual && iterations < MOST_ITERATIONS) {
#pragma omp target teams distribute parallel for
      for (int i = 0; i < N; ++i)
        q[i] = poisson_row(p, i);
      double alpha = rr / dot(p, q);
#pragma omp target teams distribute parallel for
      for (int i = 0; i < N; ++i) {
        x[i] += alpha * p[i];
        r[i] -= alpha * q[i];
      }
      double next = dot(r, r), beta = next / rr;
#pragma omp target teams distribute parallel for
      for (int i = 0; i < N; ++i)
        p[i] = r[i] + beta * p[i];
      rr = next;
      if (++iterations == 40) {
#pragma omp target update from(x[0 : N])
        for (int i = 0; i < N; ++i)
          halfway += x[i];
      }
    }
  }

  // the residual, computed on the host from the solution that came back
  double residual = 0, sum = 0;
  for (int i = 0; i < N; ++i) {
    double d = b[i] - poisson_row(x, i);
    residual += d * d;
    sum += x[i];
  }
  residual = sqrt(residual) / first_residual;
  int converged = residual < 1e-9 && iterations < MOST_ITERATIONS;
  // few enough digits that the order of the summation does not show
  printf("unknowns %d converged %s\nsum of x %.6e halfway %.6e first residual %.6e\n", N, converged ? "yes" : "no", sum,
         halfway, first_residual);
  fprintf(stderr, "ran on the %s, %d iterations, relative residual %.2e\n", on_host ? "host" : "device", iterations,
          residual);
  puts(converged ? "passed" : "FAILED");
  free(b), free(x), free(r), free(p), free(q);
  return !converged;
}
