/* Sparse matrix times vector in CUDA: a warp for each row. */
#include "spmv.h"
#include "device.h"

__global__ void multiply_kernel(int n, struct matrix a, const double *x, double *y) {
  int row = (int)(POSITION / 32);
  if (row >= n)
    return;
  double sum = 0;
  for (long i = a.begin[row] + THREAD % 32; i < a.begin[row + 1]; i += 32)
    sum += a.value[i] * x[a.column[i]];
  sum = warp_sum(sum);
  if (THREAD % 32 == 0)
    y[row] = sum;
}

static void multiply(int n, struct matrix a, const double *x, double *y) {
  multiply_kernel<<<blocks((long)n * 32), WIDTH>>>(n, a, x, y);
}
