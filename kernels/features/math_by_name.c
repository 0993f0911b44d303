// Mathematical functions of C by their names, without clang's headers, which would take libdevice's: so does a compiler where a program
// writes `__builtin_erf`. And `long` of 64 bits.
#include <stdio.h>

#define ONE(f)                                                                                                         \
  f(acos) f(acosh) f(asin) f(asinh) f(atan) f(atanh) f(cbrt) f(ceil) f(cos) f(cosh) f(erf) f(erfc) f(exp) f(exp10)     \
      f(exp2) f(expm1) f(fabs) f(floor) f(j0) f(j1) f(lgamma) f(log) f(log10) f(log1p) f(log2) f(logb) f(nearbyint)    \
          f(rint) f(round) f(sin) f(sinh) f(sqrt) f(tan) f(tanh) f(tgamma) f(trunc) f(y0) f(y1)
#define TWO(f) f(atan2) f(copysign) f(fdim) f(fmax) f(fmin) f(fmod) f(hypot) f(nextafter) f(pow) f(remainder)
#define TO_LONG(f) f(lrint) f(llrint) f(lround) f(llround)

#define DECLARE_ONE(name) double name(double); float name##f(float);
#define DECLARE_TWO(name) double name(double, double); float name##f(float, float);
#define DECLARE_LONG(name) DECLARE_##name(double, name) DECLARE_##name(float, name##f)
#define DECLARE_lrint(real, name) long name(real);
#define DECLARE_lround(real, name) long name(real);
#define DECLARE_llrint(real, name) long long name(real);
#define DECLARE_llround(real, name) long long name(real);

#pragma omp declare target
ONE(DECLARE_ONE)
TWO(DECLARE_TWO)
TO_LONG(DECLARE_LONG)
double fma(double, double, double), frexp(double, int *), jn(int, double), yn(int, double), ldexp(double, int);
double modf(double, double *), remquo(double, double, int *), scalbn(double, int), scalbln(double, long);
void sincos(double, double *, double *);
float fmaf(float, float, float), frexpf(float, int *), jnf(int, float), ynf(int, float), ldexpf(float, int);
float modff(float, float *), remquof(float, float, int *), scalbnf(float, int), scalblnf(float, long);
void sincosf(float, float *, float *);
int ilogb(double), ilogbf(float);

#define CALL_ONE(name) *r++ = name(x), *r++ = name##f(y);
#define CALL_TWO(name) *r++ = name(x, 0.3), *r++ = name##f(y, 0.3f);
#define CALL_LONG(name) *r++ = name(x * 1e10), *r++ = name##f(y * 1e10f);

static double *all(double *r, double x, float y) {
  int whole = 0;
  double a = 0, b = 0;
  float c = 0, d = 0;
  ONE(CALL_ONE)
  TWO(CALL_TWO)
  TO_LONG(CALL_LONG)
  *r++ = fma(x, 3, 1), *r++ = fmaf(y, 3, 1), *r++ = jn(2, x), *r++ = jnf(2, y), *r++ = yn(2, x), *r++ = ynf(2, y);
  *r++ = frexp(x, &whole), *r++ = whole, *r++ = frexpf(y, &whole), *r++ = whole;
  *r++ = modf(x, &a), *r++ = a, *r++ = modff(y, &c), *r++ = c;
  *r++ = remquo(x, 0.2, &whole), *r++ = whole & 7, *r++ = remquof(y, 0.2f, &whole), *r++ = whole & 7;
  *r++ = ldexp(x, 3), *r++ = ldexpf(y, 3), *r++ = scalbn(x, -3), *r++ = scalbnf(y, -3);
  *r++ = scalbln(x, 5), *r++ = scalblnf(y, 5), *r++ = scalbln(x, 1L << 40), *r++ = scalblnf(y, -(1L << 40));
  sincos(x, &a, &b), sincosf(y, &c, &d);
  *r++ = a, *r++ = b, *r++ = c, *r++ = d, *r++ = ilogb(x), *r++ = ilogbf(y);
  return r;
}
#pragma omp end declare target

// As many digits as `float` has, or none at all where there is no number.
static int same(double a, double b) {
  double difference = a - b, size = a < 0 ? -a : a;
  if (a != a)
    return b != b;
  return a == b || (difference < 0 ? -difference : difference) <= 2e-6 * size;
}

int main(void) {
  double here[160], there[160];
  int wrong = 0, count = 0;
  volatile double inputs[] = {0.75, -0.4, 2.5};
  for (int i = 0; i < 3; i++) {
    double x = inputs[i];
    count = all(here, x, x) - here;
#pragma omp target map(from : there)
    all(there, x, x);
    for (int k = 0; k < count; k++) {
      if (!same(here[k], there[k])) {
        printf("result %d of %g: %.17g on the host, %.17g on the device\n", k, x, here[k], there[k]);
        wrong++;
      }
    }
  }
  printf("%d results, %d wrong\n", count, wrong);
  return wrong != 0;
}
