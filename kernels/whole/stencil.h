/* Jacobi sweeps with a 5-point stencil over a square grid with a fixed border. SIZE is the side of the grid. */
#include "whole.h"

/* Kernel: one sweep over the inner points; the addresses are the device's. */
static void sweep(int side, const double *from, double *to);

/* The sum comes before the product: no fused operation can round in another way than the host. */
#define MEAN(from, at) (0.25 * ((from)[(at)-side] + (from)[(at) + side] + (from)[(at)-1] + (from)[(at) + 1]))

enum { CHECKED = 4 /* sweeps */, TIMED = 20 };

static double *grids[2];

static void sweeps(int side, int count) {
  for (int i = 0; i < count; ++i)
    sweep(side, grids[i % 2], grids[(i + 1) % 2]);
}

int main(int argc, char **argv) {
  begin(argc, argv);
  int side = (int)size;
  size_t bytes = (size_t)side * side * sizeof(double);
  double *from = (double *)on_host(bytes), *to = (double *)on_host(bytes), *result = (double *)on_host(bytes);
  double seconds[MOST_SAMPLES];
  for (long i = 0; i < (long)side * side; ++i)
    from[i] = number();
  grids[0] = (double *)copied_to_device(from, bytes);
  memset(to, 0xff, bytes);
  for (long i = 0; i < side; ++i) { /* the border */
    long border[] = {i, (long)(side - 1) * side + i, i * side, i * side + side - 1};
    for (int k = 0; k < 4; ++k)
      to[border[k]] = from[border[k]];
  }
  grids[1] = (double *)copied_to_device(to, bytes);
  sweeps(side, CHECKED);
  for (int i = 0; i < CHECKED; ++i) {
    for (long row = 1; row < side - 1; ++row)
      for (long column = 1; column < side - 1; ++column)
        to[row * side + column] = MEAN(from, row * side + column);
    double *swapped = from;
    from = to, to = swapped;
  }
  from_device(result, grids[CHECKED % 2], bytes);
  for (long i = 0; i < (long)side * side; ++i)
    check("stencil", i, result[i], from[i], 0);
  TIME(1, seconds, sweeps(side, TIMED));
  for (int i = 0; i < samples; ++i)
    seconds[i] /= TIMED;
  report("stencil", seconds, 2.0 * bytes, 0);
  return 0;
}
