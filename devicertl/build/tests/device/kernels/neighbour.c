// An SPMD kernel beside one that the front end made generic.
int neighbour(int n, float a, const float *restrict x, float *restrict y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : y[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] += a * x[i];
  int answer = 0;
#pragma omp target map(from : answer)
  answer = 42;
  return answer;
}
