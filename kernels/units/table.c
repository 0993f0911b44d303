// Passes arrays of constants, and structures by value, to functions of another file, `table_other.c`.
#include <stdio.h>

typedef struct {
  double slope, start, rest[3];
} Line;

#pragma omp begin declare target
double series(double x, double terms[], int degree);
double at(Line line, double x);
#pragma omp end declare target

int main(void) {
  enum { N = 300 };
  double result[N], sum = 0;
  Line lines[N];
  for (int i = 0; i < N; ++i)
    lines[i] = (Line){i % 5, i % 9, {i, 1, 2}};
#pragma omp target teams distribute parallel for map(from : result) map(to : lines)
  for (int i = 0; i < N; ++i) {
    double terms[] = {1, 0.5, 0.25, 0.125, 3, 7, 11, 0.75, 9, 2};
    result[i] = series(i % 7, terms, 3 + i % 7) + at(lines[i], i % 3);
  }
  for (int i = 0; i < N; ++i)
    sum += result[i];
  printf("%.3f\n", sum);
}
