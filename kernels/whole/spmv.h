/* A sparse matrix in rows, of 16 to 240 entries each, times a vector: a row is the work of several threads. SIZE is the
   number of rows and columns. */
#include "whole.h"

struct matrix {
  const long *begin; /* of each row, and the end of the last one */
  const int *column;
  const double *value;
};

/* Kernel; the addresses are the device's. */
static void multiply(int n, struct matrix a, const double *x, double *y);

int main(int argc, char **argv) {
  enum { LEAST = 16, MORE = 224, ITERATIONS = 5 };
  begin(argc, argv);
  int n = (int)size;
  long *rows = (long *)on_host((n + 1) * sizeof *rows);
  rows[0] = 0;
  for (int row = 0; row < n; ++row)
    rows[row + 1] = rows[row] + LEAST + (long)(number() * (MORE + 1));
  long entries = rows[n];
  int *columns = (int *)on_host(entries * sizeof *columns);
  double *values = (double *)on_host(entries * sizeof *values), seconds[MOST_SAMPLES];
  double *x = (double *)on_host(n * sizeof *x), *y = (double *)on_host(n * sizeof *y);
  for (long i = 0; i < entries; ++i)
    columns[i] = (int)(number() * n), values[i] = number() - 0.5;
  for (int i = 0; i < n; ++i)
    x[i] = number();
  struct matrix a = {(long *)copied_to_device(rows, (n + 1) * sizeof *rows),
                     (int *)copied_to_device(columns, entries * sizeof *columns),
                     (double *)copied_to_device(values, entries * sizeof *values)};
  double *dx = (double *)copied_to_device(x, n * sizeof *x), *dy = (double *)on_device(n * sizeof *y);
  multiply(n, a, dx, dy);
  from_device(y, dy, n * sizeof *y);
  for (int row = 0; row < n; ++row) {
    double sum = 0;
    for (long i = rows[row]; i < rows[row + 1]; ++i)
      sum += values[i] * x[columns[i]];
    check("spmv", row, y[row], sum, 1e-11);
  }
  TIME(ITERATIONS, seconds, multiply(n, a, dx, dy));
  double bytes = (double)entries * (sizeof(int) + sizeof(double)) + (double)n * (sizeof(long) + 2 * sizeof(double));
  report("spmv", seconds, bytes, 0);
  return 0;
}
