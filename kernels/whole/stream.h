/* Streams of doubles, with the kernels of BabelStream. SIZE is the number of elements. */
#include "whole.h"

/* Kernels; the addresses are the device's. */
static double dot(long n, const double *a, const double *b);
static void copy(long n, const double *a, const double *b, double *c);
static void mul(long n, const double *a, const double *b, double *c);
static void add(long n, const double *a, const double *b, double *c);
static void triad(long n, const double *a, const double *b, double *c);

#define SCALAR 0.4

static double copied(double a, double b) { return a + 0 * b; }
static double multiplied(double a, double b) { return SCALAR * a + 0 * b; }
static double added(double a, double b) { return a + b; }
static double both(double a, double b) { return a + SCALAR * b; }

static const struct {
  const char *name;
  void (*run)(long, const double *, const double *, double *);
  double (*expected)(double, double);
  int arrays; /* that it reads or writes */
} kernels[] = {{"stream_copy", copy, copied, 2},
               {"stream_mul", mul, multiplied, 2},
               {"stream_add", add, added, 3},
               {"stream_triad", triad, both, 3}};

int main(int argc, char **argv) {
  enum { ITERATIONS = 10 };
  begin(argc, argv);
  size_t bytes = size * sizeof(double);
  double *a = (double *)on_host(bytes), *b = (double *)on_host(bytes), *c = (double *)on_host(bytes);
  double product = 0, seconds[MOST_SAMPLES];
  for (long i = 0; i < size; ++i) {
    a[i] = number(), b[i] = number();
    product += a[i] * b[i];
  }
  double *da = (double *)copied_to_device(a, bytes), *db = (double *)copied_to_device(b, bytes);
  double *dc = (double *)on_device(bytes);
  for (size_t k = 0; k < sizeof kernels / sizeof *kernels; ++k) {
    poison(dc, bytes);
    kernels[k].run(size, da, db, dc);
    from_device(c, dc, bytes);
    for (long i = 0; i < size; ++i)
      check(kernels[k].name, i, c[i], kernels[k].expected(a[i], b[i]), 1e-15);
    TIME(ITERATIONS, seconds, kernels[k].run(size, da, db, dc));
    report(kernels[k].name, seconds, (double)kernels[k].arrays * bytes, 0);
  }
  check("stream_dot", 0, dot(size, da, db), product, 1e-10 * product);
  TIME(ITERATIONS, seconds, dot(size, da, db));
  report("stream_dot", seconds, 2.0 * bytes, 0);
  return 0;
}
