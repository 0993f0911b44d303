// A polynomial and a line, for `table.c`.
typedef struct {
  double slope, start, rest[3];
} Line;

#pragma omp begin declare target
double series(double x, double terms[], int degree) {
  double sum = 0;
  for (int i = degree; i >= 0; --i)
    sum = sum * x + terms[i];
  return sum;
}

double at(Line line, double x) { return line.slope * x + line.start; }
#pragma omp end declare target
