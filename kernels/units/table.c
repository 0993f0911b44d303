// Passes arrays of constants to a function of another file, `table_other.c`.
#include <stdio.h>
#pragma omp begin declare target
double series(double x, double terms[], int degree);
#pragma omp end declare target

int main(void) {
  enum { N = 300 };
  double result[N], sum = 0;
#pragma omp target teams distribute parallel for map(from : result)
  for (int i = 0; i < N; ++i) {
    double terms[] = {1, 0.5, 0.25, 0.125, 3, 7, 11, 0.75, 9, 2};
    result[i] = series(i % 7, terms, 3 + i % 7);
  }
  for (int i = 0; i < N; ++i)
    sum += result[i];
  printf("%.3f\n", sum);
}
