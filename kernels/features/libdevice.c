// Functions of libdevice that are an instruction: each rounding, conversions, integers; against the
// host's arithmetic in its rounding modes. There is nothing to check without a device.
#include "check.h"
#include <fenv.h>
#include <limits.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#ifdef __NVPTX__
#define BODY ;
#else
#define BODY                                                                                                           \
  { abort(); }
#endif
#pragma omp begin declare target
#define ROUNDINGS(X, ...) X(__VA_ARGS__, rn) X(__VA_ARGS__, rz) X(__VA_ARGS__, rd) X(__VA_ARGS__, ru)
#define DECLARE_2(type, name, r) type __nv_##name##_##r(type a, type b) BODY
#define DECLARE_1(type, name, r) type __nv_##name##_##r(type a) BODY
#define DECLARE_3(type, name, r) type __nv_##name##_##r(type a, type b, type c) BODY
#define DECLARE_CONVERSION(to, from, name, r) to __nv_##name##_##r(from a) BODY
ROUNDINGS(DECLARE_2, float, fadd)
ROUNDINGS(DECLARE_2, float, fsub)
ROUNDINGS(DECLARE_2, float, fmul)
ROUNDINGS(DECLARE_2, float, fdiv)
ROUNDINGS(DECLARE_2, double, dadd)
ROUNDINGS(DECLARE_2, double, dsub)
ROUNDINGS(DECLARE_2, double, dmul)
ROUNDINGS(DECLARE_2, double, ddiv)
ROUNDINGS(DECLARE_1, float, frcp)
ROUNDINGS(DECLARE_1, float, fsqrt)
ROUNDINGS(DECLARE_1, double, drcp)
ROUNDINGS(DECLARE_1, double, dsqrt)
ROUNDINGS(DECLARE_3, float, fmaf)
ROUNDINGS(DECLARE_3, float, fmaf_ieee)
ROUNDINGS(DECLARE_3, double, fma)
ROUNDINGS(DECLARE_CONVERSION, int, float, float2int)
ROUNDINGS(DECLARE_CONVERSION, unsigned, float, float2uint)
ROUNDINGS(DECLARE_CONVERSION, long long, float, float2ll)
ROUNDINGS(DECLARE_CONVERSION, unsigned long long, float, float2ull)
ROUNDINGS(DECLARE_CONVERSION, int, double, double2int)
ROUNDINGS(DECLARE_CONVERSION, unsigned, double, double2uint)
ROUNDINGS(DECLARE_CONVERSION, long long, double, double2ll)
ROUNDINGS(DECLARE_CONVERSION, unsigned long long, double, double2ull)
ROUNDINGS(DECLARE_CONVERSION, float, double, double2float)
ROUNDINGS(DECLARE_CONVERSION, float, int, int2float)
ROUNDINGS(DECLARE_CONVERSION, float, unsigned, uint2float)
ROUNDINGS(DECLARE_CONVERSION, float, long long, ll2float)
ROUNDINGS(DECLARE_CONVERSION, float, unsigned long long, ull2float)
ROUNDINGS(DECLARE_CONVERSION, double, long long, ll2double)
ROUNDINGS(DECLARE_CONVERSION, double, unsigned long long, ull2double)
double __nv_int2double_rn(int a) BODY
double __nv_uint2double_rn(unsigned a) BODY
float __nv_frsqrt_rn(float a) BODY
double __nv_rcp64h(double a) BODY
float __nv_saturatef(float a) BODY
unsigned short __nv_float2half_rn(float a) BODY
float __nv_half2float(unsigned short a) BODY
int __nv_byte_perm(int a, int b, int c) BODY
int __nv_mul24(int a, int b) BODY
unsigned __nv_umul24(unsigned a, unsigned b) BODY
int __nv_sad(int a, int b, int c) BODY
unsigned __nv_usad(unsigned a, unsigned b, unsigned c) BODY
#pragma omp end declare target

// Only failures are printed: the output is that of the host, where nothing is checked.
#define EXPECT(what, got, want)                                                                                        \
  do {                                                                                                                 \
    if ((got) != (want))                                                                                               \
      CHECK(what, got, want);                                                                                          \
  } while (0)
#define EXPECT_THAT(what, condition)                                                                                   \
  do {                                                                                                                 \
    if (!(condition))                                                                                                  \
      CHECK_THAT(what, 0);                                                                                             \
  } while (0)

enum { N = 96 };
static const int MODES[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};

static double x[N], y[N], z[N];
static float xf[N], yf[N], zf[N];
static long long whole[N];

static void make_arguments(void) {
  srand(3);
  for (int i = 0; i < N; ++i) {
    x[i] = ldexp(rand() - RAND_MAX / 2 + rand() * 0x1p-31, i % 16 * 4 - 62);
    y[i] = ldexp(rand() + 1 + rand() * 0x1p-31, i % 7 * 9 - 62) * (i % 2 ? -1 : 1);
    z[i] = -x[i] * y[i] * (1 + ldexp(rand(), -70));
    xf[i] = (float)x[i], yf[i] = (float)y[i], zf[i] = (float)z[i];
    whole[i] = ((long long)rand() << 33 ^ (long long)rand() << 8 ^ rand()) >> (i % 40);
  }
  // halves, least and largest numbers
  x[0] = 0.5, x[1] = 2.5, x[2] = -1.5, x[3] = -0.5, x[4] = 0x1p-1074, x[5] = 0x1.fffffffffffffp1023;
  xf[0] = 0.5f, xf[1] = 2.5f, xf[2] = -1.5f, xf[3] = -0.5f, xf[4] = 0x1p-149f, xf[5] = 0x1.fffffep127f;
}

static int same(double a, double b) { return (isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b)); }

// All four roundings of an expression `device` of i; `host` is computed in the rounding mode and must not be folded.
#define CHECK_ROUNDINGS(type, name, arguments, host)                                                                   \
  do {                                                                                                                 \
    type got[4][N];                                                                                                    \
    int far = 0;                                                                                                       \
    PRAGMA(omp target teams distribute parallel for map(from : got) map(to : x, y, z, xf, yf, zf, whole))              \
    for (int i = 0; i < N; ++i) {                                                                                      \
      got[0][i] = __nv_##name##_rn arguments;                                                                          \
      got[1][i] = __nv_##name##_rz arguments;                                                                          \
      got[2][i] = __nv_##name##_rd arguments;                                                                          \
      got[3][i] = __nv_##name##_ru arguments;                                                                          \
    }                                                                                                                  \
    for (int mode = 0; mode < 4; ++mode)                                                                               \
      for (int i = 0; i < N; ++i) {                                                                                    \
        volatile double X = x[i], Y = y[i], Z = z[i];                                                                  \
        volatile float XF = xf[i], YF = yf[i], ZF = zf[i];                                                             \
        volatile long long W = whole[i];                                                                               \
        fesetround(MODES[mode]);                                                                                       \
        volatile type want = host;                                                                                     \
        fesetround(FE_TONEAREST);                                                                                      \
        far += !same((double)got[mode][i], (double)want) || memcmp(&got[mode][i], (type *)&want, sizeof want) != 0;    \
        (void)X, (void)Y, (void)Z, (void)XF, (void)YF, (void)ZF, (void)W;                                              \
      }                                                                                                                \
    EXPECT(#name ": results that are off", far, 0);                                                                     \
  } while (0)

// What cvt makes of a rounded value: the nearest number of the type.
static long long clamped(double v, double low, double high, long long least, long long largest) {
  return v <= low ? least : v >= high ? largest : (long long)v;
}
static unsigned long long clamped_unsigned(double v) {
  return v <= 0 ? 0 : v >= 0x1p64 ? ULLONG_MAX : (unsigned long long)v;
}

static void arithmetic(void) {
  CHECK_ROUNDINGS(float, fadd, (xf[i], yf[i]), XF + YF);
  CHECK_ROUNDINGS(float, fsub, (xf[i], yf[i]), XF - YF);
  CHECK_ROUNDINGS(float, fmul, (xf[i], yf[i]), XF * YF);
  CHECK_ROUNDINGS(float, fdiv, (xf[i], yf[i]), XF / YF);
  CHECK_ROUNDINGS(double, dadd, (x[i], y[i]), X + Y);
  CHECK_ROUNDINGS(double, dsub, (x[i], y[i]), X - Y);
  CHECK_ROUNDINGS(double, dmul, (x[i], y[i]), X * Y);
  CHECK_ROUNDINGS(double, ddiv, (x[i], y[i]), X / Y);
  CHECK_ROUNDINGS(float, frcp, (xf[i]), 1.0f / XF);
  CHECK_ROUNDINGS(double, drcp, (x[i]), 1.0 / X);
  CHECK_ROUNDINGS(float, fsqrt, (fabsf(xf[i])), sqrtf(fabsf(XF)));
  CHECK_ROUNDINGS(double, dsqrt, (fabs(x[i])), sqrt(fabs(X)));
  CHECK_ROUNDINGS(float, fmaf, (xf[i], yf[i], zf[i]), fmaf(XF, YF, ZF));
  CHECK_ROUNDINGS(float, fmaf_ieee, (xf[i], yf[i], zf[i]), fmaf(XF, YF, ZF));
  CHECK_ROUNDINGS(double, fma, (x[i], y[i], z[i]), fma(X, Y, Z));
}

static void conversions(void) {
  CHECK_ROUNDINGS(int, float2int, (xf[i]), (int)clamped(rint(XF), INT_MIN, INT_MAX, INT_MIN, INT_MAX));
  CHECK_ROUNDINGS(int, double2int, (x[i]), (int)clamped(rint(X), INT_MIN, INT_MAX, INT_MIN, INT_MAX));
  CHECK_ROUNDINGS(unsigned, float2uint, (xf[i]), (unsigned)clamped(rint(XF), 0, UINT_MAX, 0, UINT_MAX));
  CHECK_ROUNDINGS(unsigned, double2uint, (x[i]), (unsigned)clamped(rint(X), 0, UINT_MAX, 0, UINT_MAX));
  CHECK_ROUNDINGS(long long, float2ll, (xf[i]), clamped(rint(XF), -0x1p63, 0x1p63, LLONG_MIN, LLONG_MAX));
  CHECK_ROUNDINGS(long long, double2ll, (x[i]), clamped(rint(X), -0x1p63, 0x1p63, LLONG_MIN, LLONG_MAX));
  CHECK_ROUNDINGS(unsigned long long, float2ull, (xf[i]), clamped_unsigned(rint(XF)));
  CHECK_ROUNDINGS(unsigned long long, double2ull, (x[i]), clamped_unsigned(rint(X)));
  CHECK_ROUNDINGS(float, double2float, (x[i]), (float)X);
  CHECK_ROUNDINGS(float, int2float, ((int)whole[i]), (float)(int)W);
  CHECK_ROUNDINGS(float, uint2float, ((unsigned)whole[i]), (float)(unsigned)W);
  CHECK_ROUNDINGS(float, ll2float, (whole[i]), (float)W);
  CHECK_ROUNDINGS(float, ull2float, ((unsigned long long)whole[i] >> 1), (float)(long long)((unsigned long long)W >> 1));
  CHECK_ROUNDINGS(double, ll2double, (whole[i]), (double)W);
  CHECK_ROUNDINGS(double, ull2double, ((unsigned long long)whole[i] >> 1), (double)(long long)((unsigned long long)W >> 1));

  double exact[4];
  unsigned short half[4];
  float wide[3];
  volatile float one_third = 1.0f / 3;
  float third = one_third;
#pragma omp target map(from : exact, half, wide)
  {
    exact[0] = __nv_int2double_rn(INT_MIN + (int)third);
    exact[1] = __nv_uint2double_rn(UINT_MAX - (unsigned)third);
    exact[2] = __nv_rcp64h(third + 3.0 - third);
    exact[3] = __nv_frsqrt_rn(third);
    half[0] = __nv_float2half_rn(third);
    half[1] = __nv_float2half_rn(third * 1e6f);
    half[2] = __nv_float2half_rn(-third * 1e-7f);
    half[3] = __nv_float2half_rn(third * 3);
    wide[0] = __nv_half2float(half[0]);
    wide[1] = __nv_half2float(half[1]);
    wide[2] = __nv_half2float(half[2]);
  }
  EXPECT("int2double", exact[0], (double)INT_MIN);
  EXPECT("uint2double", exact[1], (double)UINT_MAX);
  EXPECT_THAT("rcp64h has 20 bits", fabs(exact[2] * 3.0 - 1.0) < 0x1p-19);
  EXPECT("frsqrt_rn", exact[3], (double)(float)(1.0 / sqrt((double)third)));
  EXPECT("1/3 as half", half[0], 0x3555);
  EXPECT("too large for half", half[1], 0x7c00);
  EXPECT("subnormal half", half[2], 0x8001);
  EXPECT("1 as half", half[3], 0x3c00);
  EXPECT("half as float", wide[0], 0x1.554p-2f);
  EXPECT_THAT("infinite half", isinf(wide[1]));
  EXPECT("least half", wide[2], -0x1p-24f);
}

static void integers(void) {
  int got[6];
  unsigned gotu[2];
  volatile int minus_five = -5;
  int a = minus_five;
#pragma omp target map(from : got, gotu)
  {
    got[0] = __nv_byte_perm(0x33221100, 0x77665544, 0x7450 + (a + 5));
    // the selector's highest bit repeats the sign of the byte
    got[1] = __nv_byte_perm(a, 0x00000080, 0x84cb);
    got[2] = __nv_mul24(a, 0x7f000003);
    got[3] = __nv_mul24(a & 0x800000, 2);
    got[4] = __nv_sad(a, 7, 100);
    got[5] = __nv_sad(INT_MIN, INT_MAX + (a + 5), 1);
    gotu[0] = __nv_umul24((unsigned)a, 0x1000002);
    gotu[1] = __nv_usad((unsigned)a, 7, 100);
  }
  EXPECT("byte_perm", got[0], 0x77445500);
  EXPECT("byte_perm with signs", (unsigned)got[1], 0xff80ffffu);
  EXPECT("mul24", got[2], -15);
  EXPECT("mul24 of a negative number", got[3], (int)0xff800000 * 2);
  EXPECT("sad", got[4], 112);
  EXPECT("sad of the ends", got[5], 0);
  EXPECT("umul24", gotu[0], 0xfffffbu * 2);
  EXPECT("usad", gotu[1], 0xfffffffbu - 7 + 100);
}

static void saturation(void) {
  float got[N];
#pragma omp target teams distribute parallel for map(from : got)
  for (int i = 0; i < N; ++i)
    got[i] = __nv_saturatef((float)(i - N / 2) / 16);
  for (int i = 0; i < N; ++i)
    EXPECT("saturate", got[i], fmin(fmax((i - N / 2) / 16.0, 0.0), 1.0));
}

int main(void) {
  if (omp_get_num_devices() == 0)
    return finish();
  make_arguments();
  arithmetic();
  conversions();
  integers();
  saturation();
  return finish();
}
