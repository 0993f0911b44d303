/* Mandelbrot's set in CUDA. */
#include "mandelbrot.h"
#include "device.h"

__global__ void picture_kernel(int side, double left, double top, double step, int *counts) {
#pragma clang fp contract(off)
  long i = POSITION;
  if (i < (long)side * side) {
    int row = (int)(i / side), column = (int)(i % side), count;
    COUNT(count, left + column * step, top + row * step);
    counts[i] = count;
  }
}

static void picture(int side, double left, double top, double step, int *counts) {
  picture_kernel<<<blocks((long)side * side), WIDTH>>>(side, left, top, step, counts);
}
