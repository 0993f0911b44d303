// A polynomial, for `table.c`.
#pragma omp begin declare target
double series(double x, double terms[], int degree) {
  double sum = 0;
  for (int i = degree; i >= 0; --i)
    sum = sum * x + terms[i];
  return sum;
}
#pragma omp end declare target
