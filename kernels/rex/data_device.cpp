/* Kernels of data.c. */
#include "xomp.h"

/* What is in the slot of a literal. */
template <typename T> static inline T literal(unsigned long long slot) {
  union {
    unsigned long long bits;
    T value;
  } both = {slot};
  return both.value;
}

extern "C" {

char OUT__1__2__main__10__kernel___exec_mode = 0;
char OUT__2__2__main__20__kernel___exec_mode = 0;
/* The old form, which newer runtimes leave alone. */
unsigned omptarget_device_environment[4];

REX_GLOBAL void OUT__1__2__main__10__kernel__(void *__launch_environment, double *x, double *y, unsigned long long n,
                                              unsigned long long factor, unsigned long long shift) {
  int first = getLoopIndexFromCUDAVariables(1), threads = getCUDABlockThreadCount(1);
  for (int i = first; i < literal<int>(n); i += threads)
    y[i] += literal<float>(factor) * x[i] + literal<double>(shift);
}

REX_GLOBAL void OUT__2__2__main__20__kernel__(void *__launch_environment, double *x, double *middle) {
  middle[0] = x[0];
  middle[-1] = x[1];
}
}
