// The timed work of the bench of host runtimes: `bench_host CASE ITERATIONS SIZE` prints the seconds that ITERATIONS took.
//
// The kernels do nothing that takes time: what is timed is the runtime on the host. SIZE is what the case says.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long size;
static int *data[4];
static char *table;

void *llvm_omp_target_alloc_host(size_t, int); // LLVM's extension: pinned memory

#define CELL 64     // bytes between two entries of the table
#define WARM_UP 100 // iterations, at least

// a launch without maps
static int launch(long iterations) {
  for (long i = 0; i < iterations; ++i) {
#pragma omp target
    {
    }
  }
  return 0;
}

// a launch with four arrays that are mapped already
static int mapped(long iterations) {
  int *a = data[0], *b = data[1], *c = data[2], *d = data[3];
  for (long i = 0; i < iterations; ++i) {
#pragma omp target map(to : a[0 : 1024], b[0 : 1024]) map(tofrom : c[0 : 1024], d[0 : 1024])
    {
      d[0] = a[0] + b[0] + c[0];
    }
  }
  return 0;
}

// SIZE threads of the host do so at once; ITERATIONS of them all together
static int threads(long iterations) {
  int failed = 0;
#pragma omp parallel num_threads(size) reduction(| : failed)
  failed |= mapped(iterations / size);
  return failed;
}

// a launch that maps two small arrays, and unmaps them behind it
static int map_unmap(long iterations) {
  int in[64] = {1}, out[64] = {0};
  for (long i = 0; i < iterations; ++i) {
#pragma omp target map(to : in) map(from : out)
    {
      out[0] = in[0];
    }
  }
  return 0;
}

// `target enter data` and `target exit data` of one array of SIZE bytes
static int enter_exit(long iterations) {
  char *a = malloc(size);
  memset(a, 1, size);
  for (long i = 0; i < iterations; ++i) {
#pragma omp target enter data map(to : a[0 : size])
#pragma omp target exit data map(release : a[0 : size])
  }
  free(a);
  return 0;
}

// SIZE bytes to the device and back
static int to_and_fro(char *a, long iterations) {
  memset(a, 1, size);
  for (long i = 0; i < iterations; ++i) {
#pragma omp target enter data map(to : a[0 : size])
#pragma omp target exit data map(from : a[0 : size])
  }
  return a[0] != 1 || a[size - 1] != 1;
}

static int pageable(long iterations) {
  static char *a; // the pages are there after the warm-up
  return to_and_fro(a ? a : (a = malloc(size)), iterations);
}

static int pinned(long iterations) {
  static char *a;
  return to_and_fro(a ? a : (a = llvm_omp_target_alloc_host(size, omp_get_default_device())), iterations);
}

// a launch with private copies of eight structs
static int packed(long iterations) {
  struct part {
    double x[6];
  } a = {{1}}, b = a, c = a, d = a, e = a, f = a, g = a, h = a;
  for (long i = 0; i < iterations; ++i) {
#pragma omp target firstprivate(a, b, c, d, e, f, g, h)
    {
      a.x[0] = b.x[0] + c.x[0] + d.x[0] + e.x[0] + f.x[0] + g.x[0] + h.x[0];
    }
  }
  return 0;
}

// finds one of SIZE entries of the mapping table
static int lookup(long iterations) {
  static unsigned long random = 88172645463325252ul; // goes on behind the warm-up, with other entries
  unsigned long missing = 0;
  for (long i = 0; i < iterations; ++i) {
    random ^= random << 13, random ^= random >> 7, random ^= random << 17;
    missing += !omp_target_is_present(table + random % size * CELL, omp_get_default_device());
  }
  return missing != 0;
}

static const struct {
  const char *name;
  int (*run)(long iterations);
} cases[] = {{"launch", launch},         {"mapped", mapped}, {"threads", threads}, {"map_unmap", map_unmap},
             {"enter_exit", enter_exit}, {"packed", packed}, {"lookup", lookup},
             {"pageable", pageable},     {"pinned", pinned}};

int main(int argc, char **argv) {
  long iterations = argc == 4 ? atol(argv[2]) : 0;
  size = argc == 4 ? atol(argv[3]) : 0;
  int (*run)(long) = NULL;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    if (argc == 4 && !strcmp(argv[1], cases[i].name))
      run = cases[i].run;
  if (!run || iterations < 1 || size < 1) {
    fprintf(stderr, "usage: %s CASE ITERATIONS SIZE, with CASE one of", argv[0]);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
      fprintf(stderr, " %s", cases[i].name);
    fprintf(stderr, "\n");
    return 2;
  }
  for (int i = 0; i < 4; ++i) {
    data[i] = calloc(1024, sizeof(int));
    int *array = data[i];
#pragma omp target enter data map(to : array[0 : 1024])
  }
  if (run == lookup) {
    table = calloc(size, CELL);
    for (long i = 0; i < size; ++i) {
      char *entry = table + i * CELL;
#pragma omp target enter data map(alloc : entry[0 : 8])
    }
  }
  // not timed: caches, pools and the branch predictor get warm, and as much of the table as fits
  int failed = run(run == lookup && size > WARM_UP ? size : run == pageable || run == pinned ? 1 : WARM_UP);
  double start = omp_get_wtime();
  failed |= run(iterations);
  double seconds = omp_get_wtime() - start;
  if (failed) {
    fprintf(stderr, "%s: wrong result\n", argv[1]);
    return 1;
  }
  printf("%.9f\n", seconds);
  return 0;
}
