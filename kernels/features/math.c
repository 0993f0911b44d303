// Mathematical functions in double and float, against the host's: within a few units in the last place, and exact
// where the standard says exact.
#include "check.h"
#include <math.h>

enum { N = 200 };

static double close_to(double got, double want, double ulps, double epsilon) {
  if (isnan(want))
    return isnan(got);
  if (isinf(want))
    return got == want;
  double scale = fabs(want) > 1e-30 ? fabs(want) : 1e-30;
  return fabs(got - want) <= ulps * epsilon * scale;
}

// fun at N points between low and high, in double and float
#define ONE(fun, low, high, ulps)                                                                                      \
  do {                                                                                                                 \
    double got[N];                                                                                                     \
    float gotf[N];                                                                                                     \
    int far = 0, farf = 0;                                                                                             \
    PRAGMA(omp target teams distribute parallel for map(from : got, gotf))                                             \
    for (int i = 0; i < N; ++i) {                                                                                      \
      double x = (low) + ((high) - (low)) * i / (N - 1);                                                               \
      got[i] = fun(x);                                                                                                 \
      gotf[i] = fun##f((float)x);                                                                                      \
    }                                                                                                                  \
    for (int i = 0; i < N; ++i) {                                                                                      \
      double x = (low) + ((high) - (low)) * i / (N - 1);                                                               \
      far += !close_to(got[i], fun(x), ulps, 2.3e-16);                                                                 \
      farf += !close_to(gotf[i], fun((double)(float)x), ulps, 1.2e-7);                                                 \
    }                                                                                                                  \
    CHECK(#fun ": points that are off", far, 0);                                                                       \
    CHECK(#fun "f: points that are off", farf, 0);                                                                     \
  } while (0)

#define TWO(fun, ulps)                                                                                                 \
  do {                                                                                                                 \
    double got[N];                                                                                                     \
    float gotf[N];                                                                                                     \
    int far = 0, farf = 0;                                                                                             \
    PRAGMA(omp target teams distribute parallel for map(from : got, gotf))                                             \
    for (int i = 0; i < N; ++i) {                                                                                      \
      got[i] = fun(0.25 + i * 0.125, 3.0 - i * 0.0625);                                                                \
      gotf[i] = fun##f(0.25f + i * 0.125f, 3.0f - i * 0.0625f);                                                        \
    }                                                                                                                  \
    for (int i = 0; i < N; ++i) {                                                                                      \
      double want = fun(0.25 + i * 0.125, 3.0 - i * 0.0625);                                                           \
      far += !close_to(got[i], want, ulps, 2.3e-16);                                                                   \
      farf += !close_to(gotf[i], want, ulps, 1.2e-7);                                                                  \
    }                                                                                                                  \
    CHECK(#fun ": points that are off", far, 0);                                                                       \
    CHECK(#fun "f: points that are off", farf, 0);                                                                     \
  } while (0)

int main(void) {
  ONE(sqrt, 0.0, 100.0, 1);
  ONE(fabs, -5.0, 5.0, 0);
  ONE(floor, -5.0, 5.0, 0);
  ONE(ceil, -5.0, 5.0, 0);
  ONE(trunc, -5.0, 5.0, 0);
  ONE(round, -5.0, 5.0, 0);
  ONE(rint, -5.0, 5.0, 0);
  ONE(exp, -20.0, 20.0, 4);
  ONE(exp2, -20.0, 20.0, 4);
  ONE(expm1, -1.0, 1.0, 4);
  ONE(log, 0.001, 1000.0, 4);
  ONE(log2, 0.001, 1000.0, 4);
  ONE(log10, 0.001, 1000.0, 4);
  ONE(log1p, -0.5, 10.0, 4);
  ONE(sin, -30.0, 30.0, 8);
  ONE(cos, -30.0, 30.0, 8);
  ONE(tan, -1.5, 1.5, 8);
  ONE(asin, -1.0, 1.0, 8);
  ONE(acos, -1.0, 1.0, 8);
  ONE(atan, -10.0, 10.0, 8);
  ONE(sinh, -10.0, 10.0, 8);
  ONE(cosh, -10.0, 10.0, 8);
  ONE(tanh, -3.0, 3.0, 8);
  ONE(cbrt, -30.0, 30.0, 4);
  ONE(erf, -3.0, 3.0, 8);
  TWO(fmin, 0);
  TWO(fmax, 0);
  TWO(fmod, 0);
  TWO(hypot, 4);
  TWO(atan2, 8);
  TWO(copysign, 0);

  // powers need a positive base
  double power[N];
  int far = 0;
#pragma omp target teams distribute parallel for map(from : power)
  for (int i = 0; i < N; ++i)
    power[i] = pow(0.1 + i * 0.25, -2.0 + i * 0.03);
  for (int i = 0; i < N; ++i)
    far += !close_to(power[i], pow(0.1 + i * 0.25, -2.0 + i * 0.03), 16, 2.3e-16);
  CHECK("pow: points that are off", far, 0);

  // special values and exact results
  double special[8];
  int exact = 0;
  volatile double zero = 0.0;
  double z = zero;
#pragma omp target map(from : special, exact)
  {
    special[0] = 1.0 / z;
    special[1] = -1.0 / z;
    special[2] = z / z;
    special[3] = sqrt(z - 1.0);
    special[4] = log(z);
    special[5] = pow(z + 2.0, 10.0);
    special[6] = fma(1e16 + z, 1.0 + 0x1p-52, -1e16);
    special[7] = ldexp(1.5 + z, 4);
    int exponent;
    exact = frexp(48.0 + z, &exponent) == 0.75 && exponent == 6;
  }
  CHECK_THAT("1/0", isinf(special[0]) && special[0] > 0);
  CHECK_THAT("-1/0", isinf(special[1]) && special[1] < 0);
  CHECK_THAT("0/0", isnan(special[2]));
  CHECK_THAT("sqrt(-1)", isnan(special[3]));
  CHECK_THAT("log(0)", isinf(special[4]) && special[4] < 0);
  CHECK("pow(2, 10)", special[5], 1024.0);
  CHECK("fma rounds once", special[6], fma(1e16, 1.0 + 0x1p-52, -1e16));
  CHECK("ldexp", special[7], 24.0);
  CHECK("frexp", exact, 1);
  return finish();
}
