// The functions of complex.h in target regions, and the others of math.h that are not libdevice's: all but the same as on the host.
#define _GNU_SOURCE
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define FUNCTIONS 36
#define POWER (FUNCTIONS - 4)
#define REALS 18

#pragma omp declare target
// clang does not know glibc's CMPLX.
static double _Complex number(double x, double y) {
  double parts[2] = {x, y};
  double _Complex z;
  memcpy(&z, parts, sizeof z);
  return z;
}

static void all(double x, double y, double _Complex *to) {
  double _Complex z = number(x, y);
  int at = 0;
  to[at++] = cacos(z), to[at++] = cacosf(z);
  to[at++] = cacosh(z), to[at++] = cacoshf(z);
  to[at++] = casin(z), to[at++] = casinf(z);
  to[at++] = casinh(z), to[at++] = casinhf(z);
  to[at++] = catan(z), to[at++] = catanf(z);
  to[at++] = catanh(z), to[at++] = catanhf(z);
  to[at++] = ccos(z), to[at++] = ccosf(z);
  to[at++] = ccosh(z), to[at++] = ccoshf(z);
  to[at++] = cexp(z), to[at++] = cexpf(z);
  to[at++] = clog(z), to[at++] = clogf(z);
  to[at++] = cproj(z), to[at++] = cprojf(z);
  to[at++] = csin(z), to[at++] = csinf(z);
  to[at++] = csinh(z), to[at++] = csinhf(z);
  to[at++] = csqrt(z), to[at++] = csqrtf(z);
  to[at++] = ctan(z), to[at++] = ctanf(z);
  to[at++] = ctanh(z), to[at++] = ctanhf(z);
  to[at++] = cpow(z, number(0.5, -0.25)), to[at++] = cpowf(z, number(1.5, 0.5));
  to[at++] = number(cabs(z), cabsf((float _Complex)z)), to[at++] = number(carg(z), cargf((float _Complex)z));
}

static void reals(double x, double n, double *to) {
  int sign, signf;
  *to++ = nextup(x), *to++ = nextupf(x), *to++ = nextdown(x), *to++ = nextdownf(x);
  *to++ = llogb(x), *to++ = llogbf(x);
  *to++ = scalb(x, n), *to++ = scalbf(x, n), *to++ = scalb(x, n / 2), *to++ = scalb(x, 400 * n), *to++ = scalb(x, -360 * n);
  *to++ = significand(x), *to++ = significandf(x);
  *to++ = lgamma_r(x, &sign), *to++ = sign, *to++ = lgammaf_r(x, &signf), *to++ = signf, *to++ = 0;
}
#pragma omp end declare target

// How many units of its last place a part of a number is from another one, for a type with so many digits. Both NaN, or both infinite and of
// one sign, are the same; an error is no larger than the number is.
static double apart(double a, double b, double size, int digits) {
  if (a == b || (isnan(a) && isnan(b)))
    return a == 0 && signbit(a) != signbit(b) ? 1e9 : 0;
  if (!isfinite(a) || !isfinite(b))
    return 1e9;
  double unit = ldexp(1, ilogb(size) - digits + 1), least = digits == 53 ? 0x1p-1074 : 0x1p-149;
  return fabs(a - b) / fmax(unit, least);
}

static const double places[] = {0.0, -0.0, 1e-310, 1e-200, 1e-12, 0.3, -0.7, 0.70710678118654752, 1.0, -1.0, 1 + 1e-13, 2.5,
                                -20, 23, 300, -709.5, 715, 1e10, -1e160, 1e308, INFINITY, -INFINITY, NAN};
#define PLACES (int)(sizeof places / sizeof *places)
static double _Complex device[PLACES * PLACES][FUNCTIONS], host[FUNCTIONS];
static double device_reals[PLACES][REALS], host_reals[REALS];

int main(void) {
#pragma omp target teams distribute parallel for map(to : places) map(from : device) num_teams(4) thread_limit(64)
  for (int i = 0; i < PLACES * PLACES; i++)
    all(places[i / PLACES], places[i % PLACES], device[i]);
#pragma omp target teams distribute parallel for map(to : places) map(from : device_reals) num_teams(1) thread_limit(32)
  for (int i = 0; i < PLACES; i++)
    reals(places[i], i - 10, device_reals[i]);
  int wrong = 0;
  for (int i = 0; i < PLACES * PLACES; i++) {
    all(places[i / PLACES], places[i % PLACES], host);
    for (int f = 0; f < FUNCTIONS; f++) {
      double a[2], b[2];
      memcpy(a, &device[i][f], sizeof a), memcpy(b, &host[f], sizeof b);
      // Where one part is NaN C does not tell the sign of the other one.
      if (isnan(b[0]) || isnan(b[1]))
        for (int part = 0; part < 2; part++)
          a[part] = fabs(a[part]), b[part] = fabs(b[part]);
      for (int part = 0; part < 2; part++) {
        // The last ones have a result for each type in their parts.
        int digits = f < FUNCTIONS - 2 ? (f % 2 ? 24 : 53) : part ? 24 : 53;
        // Of powers the host's digits are no better: an error of the logarithm is one of so many parts of the number.
        int power = f == POWER || f == POWER + 1;
        double units = apart(a[part], b[part], power ? hypot(b[0], b[1]) : b[part], digits);
        if (units > (power ? 800 : 8) && wrong++ < 40)
          printf("function %d of %g%+gi, part %d: %.17g instead of %.17g\n", f, places[i / PLACES], places[i % PLACES], part,
                 a[part], b[part]);
      }
    }
  }
  for (int i = 0; i < PLACES; i++) {
    reals(places[i], i - 10, host_reals);
    for (int f = 0; f < REALS; f++)
      if (apart(device_reals[i][f], host_reals[f], host_reals[f], f == 15 ? 24 : 53) > 4 && wrong++ < 40)
        printf("real %d of %g: %.17g instead of %.17g\n", f, places[i], device_reals[i][f], host_reals[f]);
  }
  printf("%d wrong\n", wrong);
  return wrong != 0;
}
