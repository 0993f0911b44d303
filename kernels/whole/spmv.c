/* Sparse matrix times vector in OpenMP: a team for rows, and a parallel region for each. */
#include "spmv.h"

static void multiply(int n, struct matrix a, const double *x, double *y) {
  const long *begin = a.begin;
  const int *column = a.column;
  const double *value = a.value;
#pragma omp target teams distribute thread_limit(64) is_device_ptr(begin, column, value, x, y)
  for (int row = 0; row < n; ++row) {
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (long i = begin[row]; i < begin[row + 1]; ++i)
      sum += value[i] * x[column[i]];
    y[row] = sum;
  }
}
