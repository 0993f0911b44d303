/* What the device can do at most, for ratios: a copy with 16 bytes a thread, and fused multiply-adds in registers. SIZE is
   the number of doubles that are copied. */
#include "whole.h"
#include "device.h"

struct two {
  double a, b;
};

__global__ void copy_kernel(long n, const struct two *from, struct two *to) {
  long i = POSITION;
  if (i < n)
    to[i] = from[i];
}

enum { CHAINS = 8, STEPS = 512 };

/* Eight independent chains of v = v * factor + addend; with factor 1/2 and addend 1 each tends to 2. */
template <typename T> __device__ static inline void chains(T factor, T addend, T *results) {
  T v[CHAINS];
  for (int chain = 0; chain < CHAINS; ++chain)
    v[chain] = (T)chain;
  for (int step = 0; step < STEPS; ++step)
    for (int chain = 0; chain < CHAINS; ++chain)
      v[chain] = v[chain] * factor + addend;
  T sum = 0;
  for (int chain = 0; chain < CHAINS; ++chain)
    sum += v[chain];
  results[POSITION] = sum;
}

__global__ void double_kernel(double factor, double addend, double *results) { chains(factor, addend, results); }
__global__ void float_kernel(float factor, float addend, float *results) { chains(factor, addend, results); }

template <typename T> static void rate(const char *name, void (*run)(int, T *), int blocks) {
  double seconds[MOST_SAMPLES];
  long n = (long)blocks * WIDTH;
  T *results = (T *)on_host(n * sizeof(T)), *on = (T *)on_device(n * sizeof(T));
  run(blocks, on);
  from_device(results, on, n * sizeof(T));
  for (long i = 0; i < n; ++i)
    check(name, i, results[i], 2 * CHAINS, 1e-6);
  TIME(1, seconds, run(blocks, on));
  line(name, "flops", 2.0 * CHAINS * STEPS * n, seconds);
}

static void doubles(int blocks, double *results) { double_kernel<<<blocks, WIDTH>>>(0.5, 1, results); }
static void floats(int blocks, float *results) { float_kernel<<<blocks, WIDTH>>>(0.5f, 1, results); }

int main(int argc, char **argv) {
  enum { ITERATIONS = 10 };
  begin(argc, argv);
  size_t bytes = size * sizeof(double);
  double *a = (double *)on_host(bytes), *b = (double *)on_host(bytes), seconds[MOST_SAMPLES];
  for (long i = 0; i < size; ++i)
    a[i] = number();
  struct two *from = (struct two *)copied_to_device(a, bytes), *to = (struct two *)on_device(bytes);
#define COPY copy_kernel<<<blocks(size / 2), WIDTH>>>(size / 2, from, to)
  COPY;
  from_device(b, to, bytes);
  for (long i = 0; i < size; ++i)
    check("ceiling_copy", i, b[i], a[i], 0);
  TIME(ITERATIONS, seconds, COPY);
  line("ceiling_copy", "bytes_per_second", 2.0 * bytes, seconds);
  /* as many threads as elements, within reason: on the embedded device each of them takes its time */
  int count = size / WIDTH < 1 ? 1 : size / WIDTH > 16384 ? 16384 : (int)(size / WIDTH);
  rate<double>("ceiling_double", doubles, count);
  rate<float>("ceiling_float", floats, count);
  return 0;
}
