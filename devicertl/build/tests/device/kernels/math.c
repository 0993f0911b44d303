// Calls of the C library's math functions.
#include <math.h>
void norms(int n, const double *restrict x, float *restrict y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : y[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] = (float)(sqrt(fabs(x[i])) + sin(x[i])) + fmaf(y[i], 2.0f, floorf(y[i]));
}
