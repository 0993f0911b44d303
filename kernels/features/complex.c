// Complex arithmetic, and reductions of complex numbers. The built-in reductions would need libatomic in their host
// versions; `declare reduction` does the same on the device and no atomics on the host.
#include "check.h"
#include <complex.h>

enum { N = 600 };

#pragma omp declare reduction(add : double complex, float complex : omp_out += omp_in) initializer(omp_priv = 0)
#pragma omp declare reduction(multiply : double complex : omp_out *= omp_in) initializer(omp_priv = 1)

int main(void) {
  double complex sum = 1, product = 1, v[N];
#pragma omp target teams distribute parallel for reduction(add : sum) reduction(multiply : product)
  for (int i = 0; i < N; ++i) {
    sum += i - 0.5 * i * I;
    product *= i % 100 == 0 ? I : 1;
  }
  CHECK("double sum, real", creal(sum), 1 + N * (N - 1) / 2.0);
  CHECK("double sum, imaginary", cimag(sum), -N * (N - 1) / 4.0);
  CHECK("double product, real", creal(product), -1.0); // i to the sixth
  CHECK("double product, imaginary", cimag(product) + 0.0, 0.0); // not -0

  float complex small = 0;
#pragma omp target teams distribute parallel for reduction(add : small)
  for (int i = 0; i < N; ++i)
    small += i % 8 + (i % 2) * I;
  CHECK("float sum, real", crealf(small), N / 8 * 28);
  CHECK("float sum, imaginary", cimagf(small), N / 2);

#pragma omp target teams distribute parallel for map(from : v)
  for (int i = 0; i < N; ++i) {
    double complex z = (i + 1) + 2.0 * I;
    v[i] = z * conj(z) / (1.0 + 1.0 * I); // (n * n + 4) / (1 + i)
  }
  CHECK("division, real", creal(v[5]), 20.0);
  CHECK("division, imaginary", cimag(v[5]), -20.0);
  return finish();
}
