// The timed work of the benches: `bench CASE ITERATIONS ELEMENTS` prints the seconds that ITERATIONS took.
//
// The data stays on the device, so a case times launches and kernels and no transfers, except where it says so.
// The result of the work is checked: a wrong one ends the program with an error.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long n;
static double *x, *y;

// one launch of a kernel that does next to nothing
static double empty(void) {
  int ran = 0;
#pragma omp target map(from : ran)
  ran = 1;
  return ran - 1;
}

static double saxpy(void) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : y[0 : n])
  for (long i = 0; i < n; ++i)
    y[i] = 0.5 * x[i] + 0.5 * y[i]; // x = y = 1: stays 1
  return 0;
}

static double dot(void) {
  double sum = 0;
#pragma omp target teams distribute parallel for map(to : x[0 : n], y[0 : n]) reduction(+ : sum)
  for (long i = 0; i < n; ++i)
    sum += x[i] * y[i];
  return sum - (double)n;
}

// one generic team with many regions: the cost of waking and joining workers
static double regions(void) {
  enum { REGIONS = 100 };
  int count = 0;
#pragma omp target map(tofrom : count)
  for (int region = 0; region < REGIONS; ++region) {
#pragma omp parallel num_threads(64)
    if (omp_get_thread_num() == 63)
      count += 1;
  }
  return count - REGIONS;
}

// both directions of the bus
static double transfer(void) {
#pragma omp target update to(x[0 : n])
#pragma omp target update from(x[0 : n])
  return x[n - 1] - 1;
}

static const struct {
  const char *name;
  double (*run)(void); // deviation from the right result
} cases[] = {{"empty", empty}, {"saxpy", saxpy}, {"dot", dot}, {"regions", regions}, {"transfer", transfer}};

int main(int argc, char **argv) {
  long iterations = argc == 4 ? atol(argv[2]) : 0;
  n = argc == 4 ? atol(argv[3]) : 0;
  double (*run)(void) = NULL;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    if (argc == 4 && !strcmp(argv[1], cases[i].name))
      run = cases[i].run;
  if (!run || iterations < 1 || n < 1) {
    fprintf(stderr, "usage: %s empty|saxpy|dot|regions|transfer ITERATIONS ELEMENTS\n", argv[0]);
    return 2;
  }
  x = malloc(n * sizeof *x), y = malloc(n * sizeof *y);
  if (!x || !y) {
    fprintf(stderr, "no memory for %ld elements\n", n);
    return 2;
  }
  for (long i = 0; i < n; ++i)
    x[i] = y[i] = 1;
  double seconds = 0, wrong = 0;
#pragma omp target data map(to : x[0 : n]) map(tofrom : y[0 : n])
  {
    run(); // loads the image, fills the caches of the runtime
    double start = omp_get_wtime();
    for (long i = 0; i < iterations; ++i) {
      double deviation = run();
      wrong += deviation < 0 ? -deviation : deviation;
    }
    seconds = omp_get_wtime() - start;
  }
  for (long i = 0; i < n; ++i)
    wrong += y[i] != 1;
  if (wrong != 0) {
    fprintf(stderr, "%s: wrong result, off by %g\n", argv[1], wrong);
    return 1;
  }
  printf("%.9f\n", seconds);
  free(x), free(y);
  return 0;
}
