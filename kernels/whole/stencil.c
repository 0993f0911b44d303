/* Jacobi sweeps in OpenMP. */
#include "stencil.h"

static void sweep(int side, const double *from, double *to) {
#pragma omp target teams distribute parallel for collapse(2) is_device_ptr(from, to)
  for (long row = 1; row < side - 1; ++row)
    for (int column = 1; column < side - 1; ++column)
      to[row * side + column] = MEAN(from, row * side + column);
}
