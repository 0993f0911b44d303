/* Kernels of axpy.c. */
#include "xomp.h"

extern "C" {

char OUT__1__4__main__9__kernel___exec_mode = 0;
char OUT__2__4__main__19__kernel___exec_mode = 0;

REX_GLOBAL void OUT__1__4__main__9__kernel__(void *__launch_environment, float *x, float *y, int *n, float *a) {
  int lower, upper, chunk, next, stride;
  int threads = getCUDABlockThreadCount(1), thread = getLoopIndexFromCUDAVariables(1);
  XOMP_static_sched_init(0, *n - 1, 1, 3, threads, thread, &chunk, &next, &stride);
  while (XOMP_static_sched_next(&next, *n - 1, 1, stride, chunk, threads, thread, &lower, &upper))
    for (int i = lower; i <= upper; i += 1)
      y[i] += *a * x[i];
}

REX_GLOBAL void OUT__2__4__main__19__kernel__(void *__launch_environment, float *y, int *n, int *i, float *f,
                                              double *d) {
  int lower, upper, chunk, next, stride;
  int threads = getCUDABlockThreadCount(1), thread = getLoopIndexFromCUDAVariables(1);
  int count = 0;
  float sum = 0;
  double wide = 0;
  /* downwards, every second one */
  XOMP_static_sched_init(*n - 1, 0, -2, 1, threads, thread, &chunk, &next, &stride);
  while (XOMP_static_sched_next(&next, 0, -2, stride, chunk, threads, thread, &lower, &upper))
    for (int k = lower; k >= upper; k -= 2) {
      count++;
      sum += y[k];
      wide += 0.5 * y[k];
    }
  xomp_inner_block_reduction_int(count, i, 6);
  xomp_inner_block_reduction_float(sum, f, 6);
  xomp_inner_block_reduction_double(wide, d, 6);
}
}
