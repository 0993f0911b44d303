// A reduction over threads and teams.
double dot(int n, const double *restrict x, const double *restrict y) {
  double sum = 0;
#pragma omp target teams distribute parallel for map(to : x[0 : n], y[0 : n]) reduction(+ : sum)
  for (int i = 0; i < n; ++i)
    sum += x[i] * y[i];
  return sum;
}
