/* Mandelbrot's set in OpenMP. */
#include "mandelbrot.h"

static void picture(int side, double left, double top, double step, int *counts) {
#pragma omp target teams distribute parallel for collapse(2) is_device_ptr(counts)
  for (int row = 0; row < side; ++row)
    for (int column = 0; column < side; ++column) {
#pragma clang fp contract(off)
      int count;
      COUNT(count, left + column * step, top + row * step);
      counts[(long)row * side + column] = count;
    }
}
