// One function that only a library has.
#include <math.h>
void sines(int n, double *restrict x) {
#pragma omp target teams distribute parallel for map(tofrom : x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] = sin(x[i]);
}
