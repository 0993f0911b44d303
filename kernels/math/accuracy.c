// The functions of libdevice that round: each at the arguments of a table, whose results have to be where the table says that they
// keep CUDA's bounds. The table is `libdevice.txt` in the folder that this runs in; `cargo run -p devicertl --example math_table`
// writes it. Prints what is wrong, at most one example of a function, and whether all is well.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __NVPTX__
#define BODY ;
#else
#define BODY                                                                                                           \
  { abort(); }
#endif

// Arguments and the ends of what is right, as many for each call as any function has.
enum { ARGUMENTS = 4, LEAST = ARGUMENTS, LARGEST, WORDS };
typedef double Call[WORDS];

// By what they are called with; of each there is one for floats, too.
#define OF_1(X)                                                                                                        \
  X(rsqrt) X(cbrt) X(rcbrt) X(exp) X(exp2) X(exp10) X(expm1) X(log) X(log2) X(log10) X(log1p) X(sin) X(cos) X(tan)     \
  X(sinpi) X(cospi) X(asin) X(acos) X(atan) X(sinh) X(cosh) X(tanh) X(asinh) X(acosh) X(atanh) X(erf) X(erfc)          \
  X(erfcx) X(erfinv) X(erfcinv) X(normcdf) X(normcdfinv) X(lgamma) X(tgamma) X(j0) X(j1) X(y0) X(y1)                   \
  X(cyl_bessel_i0) X(cyl_bessel_i1)
#define OF_2(X) X(hypot) X(rhypot) X(pow) X(atan2)
#define OF_3(X) X(norm3d) X(rnorm3d)
#define OF_4(X) X(norm4d) X(rnorm4d)
// An integer and a number, a number and an integer.
#define OF_N1(X) X(jn) X(yn)
#define OF_1N(X) X(powi)

// Both functions of a name, and the kernels that call them.
#define BOTH(name, double_parameters, float_parameters, double_values, float_values)                                   \
  _Pragma("omp begin declare target") double __nv_##name double_parameters BODY float __nv_##name##f float_parameters  \
      BODY _Pragma("omp end declare target") KERNEL(name, double_values) KERNEL(name##f, float_values)
#define KERNEL(name, values)                                                                                           \
  static void run_##name(long count, const Call *calls, double *results) {                                             \
    _Pragma("omp target teams distribute parallel for map(to : calls[:count]) map(from : results[:count])")            \
    for (long i = 0; i < count; ++i) {                                                                                 \
      const double *x = calls[i];                                                                                      \
      results[i] = __nv_##name values;                                                                                 \
    }                                                                                                                  \
  }
#define KERNELS_1(name) BOTH(name, (double a), (float a), (x[0]), ((float)x[0]))
#define KERNELS_2(name) BOTH(name, (double a, double b), (float a, float b), (x[0], x[1]), ((float)x[0], (float)x[1]))
#define KERNELS_3(name)                                                                                                \
  BOTH(name, (double a, double b, double c), (float a, float b, float c), (x[0], x[1], x[2]), ((float)x[0], (float)x[1], (float)x[2]))
#define KERNELS_4(name)                                                                                                \
  BOTH(name, (double a, double b, double c, double d), (float a, float b, float c, float d), (x[0], x[1], x[2], x[3]),                 \
       ((float)x[0], (float)x[1], (float)x[2], (float)x[3]))
#define KERNELS_N1(name) BOTH(name, (int n, double a), (int n, float a), ((int)x[0], x[1]), ((int)x[0], (float)x[1]))
#define KERNELS_1N(name) BOTH(name, (double a, int n), (float a, int n), (x[0], (int)x[1]), ((float)x[0], (int)x[1]))
OF_1(KERNELS_1)
OF_2(KERNELS_2)
OF_3(KERNELS_3)
OF_4(KERNELS_4)
OF_N1(KERNELS_N1)
OF_1N(KERNELS_1N)

typedef struct {
  const char *name;
  void (*run)(long, const Call *, double *);
  int arguments;
  long tried, wrong;
} Function;
#define ROWS(name, arguments) {"__nv_" #name, run_##name, arguments, 0, 0}, {"__nv_" #name "f", run_##name##f, arguments, 0, 0},
#define ROWS_1(name) ROWS(name, 1)
#define ROWS_2(name) ROWS(name, 2)
#define ROWS_3(name) ROWS(name, 3)
#define ROWS_4(name) ROWS(name, 4)
static Function functions[] = {OF_1(ROWS_1) OF_2(ROWS_2) OF_3(ROWS_3) OF_4(ROWS_4) OF_N1(ROWS_2) OF_1N(ROWS_2)};
enum { FUNCTIONS = sizeof functions / sizeof *functions, MOST = 4096 };

static Function *named(const char *name) {
  for (int i = 0; i < FUNCTIONS; ++i)
    if (strcmp(functions[i].name, name) == 0)
      return &functions[i];
  fprintf(stderr, "the table has %s, which this program has not\n", name);
  exit(2);
}

// Calls the function and says what is wrong.
static void judge(Function *function, long count, const Call *calls) {
  static double results[MOST];
  for (long i = 0; i < count; ++i)
    results[i] = -1.25e-77; // what no function gives
  function->run(count, calls, results);
  for (long i = 0; i < count; ++i) {
    double least = calls[i][LEAST], largest = calls[i][LARGEST];
    int right = isnan(least) ? isnan(results[i]) : results[i] >= least && results[i] <= largest;
    function->tried += 1;
    if (!right && function->wrong++ == 0) {
      printf("%s of", function->name);
      for (int k = 0; k < function->arguments; ++k)
        printf(" %.17g", calls[i][k]);
      printf(" is %.17g, not from %.17g to %.17g\n", results[i], least, largest);
    }
  }
}

int main(void) {
  FILE *table = fopen("libdevice.txt", "r");
  if (!table) {
    perror("libdevice.txt");
    return 2;
  }
  static Call calls[MOST];
  Function *function = NULL;
  long count = 0;
  char name[64];
  for (int more = 1; more;) {
    more = fscanf(table, "%63s", name) == 1;
    Function *next = more ? named(name) : NULL;
    if (function && (next != function || count == MOST)) {
      judge(function, count, calls);
      count = 0;
    }
    function = next;
    for (int k = 0; more && k < function->arguments + 2; ++k) {
      uint64_t bits;
      if (fscanf(table, "%lx", &bits) != 1) {
        fprintf(stderr, "a line of %s is not understood\n", name);
        return 2;
      }
      memcpy(&calls[count][k < function->arguments ? k : LEAST + k - function->arguments], &bits, sizeof bits);
    }
    count += more;
  }
  fclose(table);
  int well = 1;
  for (int i = 0; i < FUNCTIONS; ++i) {
    if (functions[i].tried == 0)
      printf("%s is not in the table\n", functions[i].name);
    else if (functions[i].wrong > 0)
      printf("%s: %ld of %ld results are out of bounds\n", functions[i].name, functions[i].wrong, functions[i].tried);
    well &= functions[i].tried > 0 && functions[i].wrong == 0;
  }
  puts(well ? "passed" : "FAILED");
  return !well;
}
