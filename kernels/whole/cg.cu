/* Conjugate gradients in CUDA. */
#include "cg.h"
#include "device.h"

__global__ void apply_kernel(int side, const double *p, double *q) {
  long row = BLOCK_Y;
  int column = (int)POSITION;
  if (column < side)
    q[row * side + column] = ROW(p, row, column);
}

static void apply(int side, const double *p, double *q) {
  dim3 grid(blocks(side));
  grid.y = side;
  apply_kernel<<<grid, WIDTH>>>(side, p, q);
}

__global__ void update_kernel(long n, double alpha, const double *p, const double *q, double *x, double *r) {
  long i = POSITION;
  if (i < n) {
    x[i] += alpha * p[i];
    r[i] -= alpha * q[i];
  }
}

static void update(long n, double alpha, const double *p, const double *q, double *x, double *r) {
  update_kernel<<<blocks(n), WIDTH>>>(n, alpha, p, q, x, r);
}

__global__ void direction_kernel(long n, double beta, const double *r, double *p) {
  long i = POSITION;
  if (i < n)
    p[i] = r[i] + beta * p[i];
}

static void direction(long n, double beta, const double *r, double *p) {
  direction_kernel<<<blocks(n), WIDTH>>>(n, beta, r, p);
}
