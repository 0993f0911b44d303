// SPMD from the start, no state is read: nothing of the runtime may be left.
void saxpy(int n, float a, const float *restrict x, float *restrict y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : y[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] += a * x[i];
}
