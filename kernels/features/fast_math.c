// Approximations: how far they are off, against the bounds that NVIDIA documents (CUDA Programming Guide, 5.5.9.2 for them,
// 5.5.7 for what is not approximated). -ffast-math approximates divisions; clang's headers approximate sinf, cosf, sincosf,
// logf and log2f where __CLANG_GPU_APPROX_TRANSCENDENTALS__ is defined, which clang 22 itself does for CUDA but not for
// OpenMP (docs/upstream.md); for the others they have functions like __expf.
#define _GNU_SOURCE
#include "check.h"
#include <math.h>

#ifdef __CLANG_GPU_APPROX_TRANSCENDENTALS__
enum { APPROXIMATE = 1 };
#else
enum { APPROXIMATE = 0 };
#endif
#ifdef __FAST_MATH__
enum { DIVISION = 2 };
#else
enum { DIVISION = 0 };
#endif

#ifdef __NVPTX__
#define FAST(function) __##function
float __nv_fast_tanhf(float);
#else
#define FAST(function) function
#define __nv_fast_tanhf tanhf
#endif

enum { N = 512 };

static float x[N];

static void arguments(double low, double high) {
  for (int i = 0; i < N; ++i)
    x[i] = (float)(low + (high - low) * i / (N - 1));
}

// n units in the last place of a float, and half a one, because the bounds are those of the rounded result.
static double ulps(double want, double n) { return ldexp(n + 0.5, want == 0 ? -149 : ilogb(want) - 23); }

// From -pi to pi sines and cosines have an absolute bound.
static double wave(double want) { return APPROXIMATE ? 0x1p-21 * exp2(-0.41) : ulps(want, 2); }

// Logarithms have an absolute bound from 0.5 to 2.
static double logarithm(double x, double want, double near_1, double n) {
  return x >= 0.5 && x <= 2 ? near_1 + ulps(want, 0) : ulps(want, n);
}

// A power is exp2f(y * __log2f(x)): the bounds of both, and the product's rounding.
static double power(double x, double y) {
  double log2x = log2(x), want = pow(x, y);
  double exponent = fabs(y) * logarithm(x, log2x, 0x1p-22, 2) + fabs(y * log2x) * 0x1p-24;
  return want * (exp2(exponent) - 1) + ulps(want, 2);
}

// A tangent is __sinf(x) * (1 / __cosf(x)): the bounds of both, and the quotient's.
static double tangent(double x) {
  double error = 0x1p-21 * exp2(-0.41);
  return (fabs(sin(x)) + error) / (fabs(cos(x)) - error) - fabs(tan(x)) + ulps(tan(x), 3);
}

// `device` of each v in x against `host`.
#define WITHIN(what, device, host, bound)                                                                              \
  do {                                                                                                                 \
    float got[N];                                                                                                      \
    int far = 0;                                                                                                       \
    PRAGMA(omp target teams distribute parallel for map(from : got) map(to : x))                                       \
    for (int i = 0; i < N; ++i) {                                                                                      \
      float v = x[i];                                                                                                  \
      got[i] = device;                                                                                                 \
    }                                                                                                                  \
    for (int i = 0; i < N; ++i) {                                                                                      \
      double v = x[i], want = host;                                                                                    \
      far += !(fabs(got[i] - want) <= (bound));                                                                        \
    }                                                                                                                  \
    CHECK(what ": points that are off", far, 0);                                                                       \
  } while (0)

#pragma omp begin declare target
static float difference(float v) {
  float sine, cosine;
  sincosf(v, &sine, &cosine);
  return sine - cosine;
}
#pragma omp end declare target

// Functions that the options decide about.
static void by_options(void) {
  arguments(-3.14, 3.14);
  WITHIN("sinf", sinf(v), sin(v), wave(want));
  WITHIN("cosf", cosf(v), cos(v), wave(want));
  WITHIN("sincosf", difference(v), sin(v) - cos(v), wave(sin(v)) + wave(cos(v)) + ulps(want, 0));
  arguments(0.01, 100);
  WITHIN("logf", logf(v), log(v), APPROXIMATE ? logarithm(v, want, exp2(-21.41), 3) : ulps(want, 1));
  WITHIN("log2f", log2f(v), log2(v), APPROXIMATE ? logarithm(v, want, 0x1p-22, 2) : ulps(want, 1));
  WITHIN("division", 5.0f / (v + 7), 5.0 / (float)((float)v + 7), ulps(want, DIVISION));
}

// Functions that are approximate only by a name of their own.
static void by_name(void) {
  arguments(-20, 20);
  WITHIN("expf", expf(v), exp(v), ulps(want, 2));
  WITHIN("tanhf", tanhf(v), tanh(v), ulps(want, 2));
  arguments(-1.5, 1.5);
  WITHIN("tanf", tanf(v), tan(v), ulps(want, 4));
  arguments(0.01, 100);
  WITHIN("log10f", log10f(v), log10(v), ulps(want, 2));
  WITHIN("powf", powf(v, 2.5f), pow(v, 2.5), ulps(want, 4));
#ifdef __CLANG_GPU_APPROX_TRANSCENDENTALS__
  WITHIN("__log10f", FAST(log10f)(v), log10(v), logarithm(v, want, 0x1p-24, 3));
  WITHIN("__powf", FAST(powf)(v, 2.5f), pow(v, 2.5), power(v, 2.5));
  WITHIN("__powf of 3", FAST(powf)(3.0f, v * 0.5f), pow(3, v * 0.5), power(3, v * 0.5));
  arguments(-20, 20);
  WITHIN("__expf", FAST(expf)(v), exp(v), ulps(want, 2 + floor(fabs(1.173 * v))));
  WITHIN("__exp10f", FAST(exp10f)(v), pow(10, v), ulps(want, 2 + floor(fabs(2.97 * v))));
  WITHIN("__nv_fast_tanhf", __nv_fast_tanhf(v), tanh(v), 0x1p-11 * fabs(want));
  arguments(-1.5, 1.5);
  WITHIN("__tanf", FAST(tanf)(v), tan(v), tangent(v));
#endif
}

int main(void) {
  by_options();
  by_name();
  return finish();
}
