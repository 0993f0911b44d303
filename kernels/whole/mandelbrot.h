/* Mandelbrot's set in double: work that differs from point to point. SIZE is the side of the picture. */
#include "whole.h"

enum { MOST = 500 /* iterations */ };

/* Kernel; the address is the device's. */
static void picture(int side, double left, double top, double step, int *counts);

/* Iterations until |z| > 2. Nothing is fused: each point is exactly that of the host. */
#define COUNT(count, cx, cy)                                                                                          \
  do {                                                                                                                \
    double x_ = 0, y_ = 0, xx_ = 0, yy_ = 0;                                                                          \
    for ((count) = 0; (count) < MOST && xx_ + yy_ <= 4; ++(count)) {                                                  \
      y_ = 2 * x_ * y_ + (cy), x_ = xx_ - yy_ + (cx);                                                                 \
      xx_ = x_ * x_, yy_ = y_ * y_;                                                                                   \
    }                                                                                                                 \
  } while (0)

int main(int argc, char **argv) {
#pragma clang fp contract(off)
  enum { EVERY = 61 /* rows, one is checked */ };
  begin(argc, argv);
  int side = (int)size;
  size_t bytes = (size_t)side * side * sizeof(int);
  int *counts = (int *)on_host(bytes), *on = (int *)on_device(bytes);
  double left = -2 + 0.01 * number(), top = -1.25 + 0.01 * number(), step = 2.5 / side;
  double operations = 0, seconds[MOST_SAMPLES];
  picture(side, left, top, step, on);
  from_device(counts, on, bytes);
  for (long i = 0; i < (long)side * side; ++i) {
    check("mandelbrot", i, counts[i] > 0 && counts[i] <= MOST, 1, 0);
    operations += 8.0 * counts[i];
  }
  for (int row = (int)(number() * EVERY) % side; row < side; row += EVERY)
    for (int column = 0; column < side; ++column) {
      int count;
      COUNT(count, left + column * step, top + row * step);
      check("mandelbrot", (long)row * side + column, counts[(long)row * side + column], count, 0);
    }
  TIME(1, seconds, picture(side, left, top, step, on));
  report("mandelbrot", seconds, 0, operations);
  return 0;
}
