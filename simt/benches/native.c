/* The loops of interpret.c on the host, one thread, for results/: what a scalar C program takes for the same work.
 *   clang-22 -O2 -fno-vectorize -fno-slp-vectorize -o native native.c -lm && ./native
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

/* The best of several runs, in milliseconds. */
#define TIME(name, body)                                                                                                \
  do {                                                                                                                 \
    double best = 1e9;                                                                                                 \
    for (int run = 0; run < 20; run++) {                                                                               \
      double start = now();                                                                                            \
      body;                                                                                                            \
      __asm__ volatile("" ::: "memory");                                                                               \
      double time = now() - start;                                                                                     \
      best = time < best ? time : best;                                                                                \
    }                                                                                                                  \
    printf("%-12s %8.3f ms\n", name, 1e3 * best);                                                                       \
  } while (0)

enum { N = 1 << 20, WIDTH = 128, LIMIT = 256, SIDE = 256, ROWS = SIDE * SIDE };

static float x[N], y[N];
static double d[N], p[ROWS], q[ROWS], value[5 * ROWS];
static int start[ROWS + 1], column[5 * ROWS];
static volatile unsigned counts[WIDTH * WIDTH];

static void mandelbrot(void) {
  for (unsigned me = 0; me < WIDTH * WIDTH; me++) {
    double cx = -2.0 + 3.0 * (me % WIDTH) / WIDTH, cy = -1.5 + 3.0 * (me / WIDTH) / WIDTH, a = 0, b = 0;
    unsigned count = 0;
    while (count < LIMIT && a * a + b * b <= 4.0) {
      double next = a * a - b * b + cx;
      b = 2 * a * b + cy;
      a = next;
      count++;
    }
    counts[me] = count;
  }
}

/* One iteration of conjugate gradients as interpret.rs does it: a product, two inner products, three sums. */
static double iteration(void) {
  double a = 0, b = 0;
  for (int row = 0; row < ROWS; row++) {
    double sum = 0;
    for (int k = start[row]; k < start[row + 1]; k++)
      sum += value[k] * p[column[k]];
    q[row] = sum;
  }
  for (int i = 0; i < ROWS; i++) a += p[i] * q[i];
  for (int i = 0; i < ROWS; i++) d[i] += 1e-3 * p[i];
  for (int i = 0; i < ROWS; i++) d[i + ROWS] -= 1e-3 * q[i];
  for (int i = 0; i < ROWS; i++) b += d[i] * d[i];
  for (int i = 0; i < ROWS; i++) p[i] = d[i] + 1e-3 * p[i];
  return a + b;
}

int main(void) {
  int filled = 0;
  for (int row = 0; row < ROWS; row++) {
    int i = row / SIDE, j = row % SIDE;
    start[row] = filled;
    int near[5][2] = {{i - 1, j}, {i, j - 1}, {i, j}, {i, j + 1}, {i + 1, j}};
    for (int k = 0; k < 5; k++)
      if (near[k][0] >= 0 && near[k][0] < SIDE && near[k][1] >= 0 && near[k][1] < SIDE) {
        column[filled] = near[k][0] * SIDE + near[k][1];
        value[filled++] = k == 2 ? 4 : -1;
      }
  }
  start[ROWS] = filled;
  volatile double sink = 0;
  TIME("saxpy", for (long i = 0; i < N; i++) y[i] += 2.0f * x[i]);
  TIME("reduction", double sum = 0; for (long i = 0; i < N; i++) sum += d[i]; sink = sum);
  TIME("mandelbrot", mandelbrot(); sink = counts[WIDTH * WIDTH / 2]);
  TIME("cg x 10", for (int k = 0; k < 10; k++) sink = iteration());
  return (int)sink & 0;
}
