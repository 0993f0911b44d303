// Functions of libdevice with one right answer and no rounding mode: integers, parts of words, bits, classes, remainders; with
// two results; and the fast ones, as near as CUDA says. Against the host's arithmetic. There is nothing to check without a device.
#include "check.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef long long Wide;
typedef unsigned long long Bits;

enum { N = 96 };
static int a[N], b[N];
static Wide wa[N], wb[N];
static double x[N], y[N], moderate[N];
static float xf[N], yf[N];

static Bits random_bits(void) { return (Bits)rand() << 42 ^ (Bits)rand() << 21 ^ (Bits)rand(); }

static void make_arguments(void) {
  static const double edges[] = {0.0,      -0.0, 1.0,      -1.0,     0.5,       -2.5,       1.5,
                                 INFINITY, -INFINITY, NAN, 0x1p-1074, 0x1p-1022, 0x1.fffffffffffffp1023, 3.0};
  static const float edges_f[] = {0.0f,      -0.0f, 1.0f,     -1.0f,    0.5f,     -2.5f,            1.5f,
                                  INFINITY, -INFINITY, NAN, 0x1p-149f, 0x1p-126f, 0x1.fffffep127f, 3.0f};
  static const Wide ends[] = {0, 1, -1, INT64_MIN, INT64_MAX, 0x80ff7f0180007fffll, 0x8000000080000000ll, 0xff00ff00};
  enum { EDGES = sizeof edges / sizeof *edges, ENDS = sizeof ends / sizeof *ends };
  srand(7);
  for (int i = 0; i < N; ++i) {
    wa[i] = (Wide)random_bits() >> (i % 48), wb[i] = (Wide)random_bits() >> (i % 31);
    if (i < ENDS * ENDS)
      wa[i] = ends[i % ENDS], wb[i] = ends[i / ENDS];
    a[i] = (int)wa[i], b[i] = (int)wb[i];
    x[i] = ldexp((double)((Wide)random_bits() >> 2), i % 24 * 5 - 120);
    y[i] = ldexp((double)((Wide)random_bits() >> 3), i % 17 * 5 - 90);
    if (i < 3 * EDGES)
      x[i] = edges[i % EDGES], y[i] = i < EDGES ? edges[(i + 5) % EDGES] : i < 2 * EDGES ? 1.0 : edges[(i * 5 + 3) % EDGES];
    xf[i] = i < EDGES ? edges_f[i] : (float)x[i], yf[i] = i < EDGES ? edges_f[(i + 5) % EDGES] : (float)y[i];
    moderate[i] = i % 2 ? (double)((Wide)random_bits() >> (3 + i % 60)) / 2 : (i - N / 2) * 0.25;
  }
}

// Only failures are printed: the output is that of the host, where nothing is checked.
#define EXPECT(what, wrong)                                                                                            \
  do {                                                                                                                 \
    if (wrong)                                                                                                         \
      CHECK("wrong results of " what, wrong, 0);                                                                       \
  } while (0)

static int same(double got, double want) {
  return (isnan(got) && isnan(want)) || (got == want && !signbit(got) == !signbit(want));
}

static int near(double got, double want, double relative, double absolute) {
  return fabs(got - want) <= fmax(fabs(want) * relative, absolute);
}

// The host has none of them, and calls none.
#ifdef __NVPTX__
#define BODY ;
#else
#define BODY                                                                                                           \
  { abort(); }
#endif

// Of words: name, parameters, their values for number i, and what the host makes of that.
#define OF_WORDS(X)                                                                                                    \
  X(int, abs, (int p), (a[i]), (int)labs(a[i]))                                                                        \
  X(int, brev, (int p), (a[i]), (int)(reversed((unsigned)a[i]) >> 32))                                                 \
  X(Wide, brevll, (Wide p), (wa[i]), (Wide)reversed((Bits)wa[i]))                                                      \
  X(int, clz, (int p), (a[i]), 32 - length((unsigned)a[i]))                                                            \
  X(int, clzll, (Wide p), (wa[i]), 64 - length((Bits)wa[i]))                                                           \
  X(int, ffs, (int p), (a[i]), ffs(a[i]))                                                                              \
  X(int, ffsll, (Wide p), (wa[i]), ffsll(wa[i]))                                                                       \
  X(int, popc, (unsigned p), ((unsigned)a[i]), ones((unsigned)a[i]))                                                   \
  X(int, popcll, (Bits p), ((Bits)wa[i]), ones((Bits)wa[i]))                                                           \
  X(int, hadd, (int p, int q), (a[i], b[i]), (int)(((Wide)a[i] + b[i]) >> 1))                                          \
  X(int, rhadd, (int p, int q), (a[i], b[i]), (int)(((Wide)a[i] + b[i] + 1) >> 1))                                     \
  X(int, uhadd, (unsigned p, unsigned q), ((unsigned)a[i], (unsigned)b[i]),                                            \
    (int)(((Bits)(unsigned)a[i] + (unsigned)b[i]) >> 1))                                                               \
  X(unsigned, urhadd, (unsigned p, unsigned q), ((unsigned)a[i], (unsigned)b[i]),                                      \
    (unsigned)(((Bits)(unsigned)a[i] + (unsigned)b[i] + 1) >> 1))                                                      \
  X(int, max, (int p, int q), (a[i], b[i]), a[i] > b[i] ? a[i] : b[i])                                                 \
  X(int, min, (int p, int q), (a[i], b[i]), a[i] < b[i] ? a[i] : b[i])                                                 \
  X(unsigned, umax, (unsigned p, unsigned q), ((unsigned)a[i], (unsigned)b[i]),                                        \
    (unsigned)a[i] > (unsigned)b[i] ? (unsigned)a[i] : (unsigned)b[i])                                                 \
  X(unsigned, umin, (unsigned p, unsigned q), ((unsigned)a[i], (unsigned)b[i]),                                        \
    (unsigned)a[i] < (unsigned)b[i] ? (unsigned)a[i] : (unsigned)b[i])                                                 \
  X(Wide, llabs, (Wide p), (wa[i]), wa[i] < 0 ? (Wide)(0 - (Bits)wa[i]) : wa[i])                                       \
  X(Wide, llmax, (Wide p, Wide q), (wa[i], wb[i]), wa[i] > wb[i] ? wa[i] : wb[i])                                      \
  X(Wide, llmin, (Wide p, Wide q), (wa[i], wb[i]), wa[i] < wb[i] ? wa[i] : wb[i])                                      \
  X(Bits, ullmax, (Bits p, Bits q), ((Bits)wa[i], (Bits)wb[i]), (Bits)wa[i] > (Bits)wb[i] ? (Bits)wa[i] : (Bits)wb[i]) \
  X(Bits, ullmin, (Bits p, Bits q), ((Bits)wa[i], (Bits)wb[i]), (Bits)wa[i] < (Bits)wb[i] ? (Bits)wa[i] : (Bits)wb[i]) \
  X(int, mulhi, (int p, int q), (a[i], b[i]), (int)((Wide)a[i] * b[i] >> 32))                                          \
  X(unsigned, umulhi, (unsigned p, unsigned q), ((unsigned)a[i], (unsigned)b[i]),                                      \
    (unsigned)((Bits)(unsigned)a[i] * (unsigned)b[i] >> 32))                                                           \
  X(Wide, mul64hi, (Wide p, Wide q), (wa[i], wb[i]), (Wide)((__int128)wa[i] * wb[i] >> 64))                            \
  X(Bits, umul64hi, (Bits p, Bits q), ((Bits)wa[i], (Bits)wb[i]), (Bits)((unsigned __int128)(Bits)wa[i] * (Bits)wb[i] >> 64)) \
  X(int, double2hiint, (double p), (x[i]), (int)(bits_of(x[i]) >> 32))                                                 \
  X(int, double2loint, (double p), (x[i]), (int)bits_of(x[i]))                                                         \
  X(Bits, double_as_longlong, (double p), (x[i]), bits_of(x[i]))                                                       \
  X(int, float_as_int, (float p), (xf[i]), (int)bits_of_float(xf[i]))                                                  \
  X(unsigned, float_as_uint, (float p), (xf[i]), bits_of_float(xf[i]))                                                 \
  X(int, ilogb, (double p), (x[i]), ilogb(x[i]))                                                                       \
  X(int, ilogbf, (float p), (xf[i]), ilogbf(xf[i]))                                                                    \
  X(Wide, llrint, (double p), (moderate[i]), llrint(moderate[i]))                                                      \
  X(Wide, llrintf, (float p), ((float)moderate[i]), llrintf((float)moderate[i]))                                       \
  X(Wide, llround, (double p), (moderate[i]), llround(moderate[i]))                                                    \
  X(Wide, llroundf, (float p), ((float)moderate[i]), llroundf((float)moderate[i]))

// Truth values of one number.
#define OF_CLASSES(X)                                                                                                  \
  X(int, isfinited, (double p), (x[i]), isfinite(x[i]))                                                                \
  X(int, finitef, (float p), (xf[i]), isfinite(xf[i]))                                                                 \
  X(int, isinfd, (double p), (x[i]), isinf(x[i]))                                                                      \
  X(int, isinff, (float p), (xf[i]), isinf(xf[i]))                                                                     \
  X(int, isnand, (double p), (x[i]), isnan(x[i]))                                                                      \
  X(int, isnanf, (float p), (xf[i]), isnan(xf[i]))                                                                     \
  X(int, signbitd, (double p), (x[i]), signbit(x[i]))                                                                  \
  X(int, signbitf, (float p), (xf[i]), signbit(xf[i]))

#define OF_NUMBERS(X)                                                                                                  \
  X(double, longlong_as_double, (Wide p), (wa[i]), of_bits((Bits)wa[i]))                                               \
  X(double, hiloint2double, (int p, int q), (a[i], b[i]), of_bits((Bits)(unsigned)a[i] << 32 | (unsigned)b[i]))         \
  X(float, int_as_float, (int p), (a[i]), of_float_bits((unsigned)a[i]))                                               \
  X(float, uint_as_float, (unsigned p), ((unsigned)b[i]), of_float_bits((unsigned)b[i]))                               \
  X(double, fdim, (double p, double q), (x[i], y[i]), fdim(x[i], y[i]))                                                \
  X(float, fdimf, (float p, float q), (xf[i], yf[i]), fdimf(xf[i], yf[i]))                                             \
  X(float, fmaf, (float p, float q, float r), (xf[i], yf[i], (float)moderate[i]), fmaf(xf[i], yf[i], (float)moderate[i])) \
  X(float, ldexpf, (float p, int q), (xf[i], b[i] % 300), ldexpf(xf[i], b[i] % 300))                                   \
  X(double, nearbyint, (double p), (moderate[i]), nearbyint(moderate[i]))                                              \
  X(float, nearbyintf, (float p), ((float)moderate[i]), nearbyintf((float)moderate[i]))                                \
  X(double, rint, (double p), (x[i]), rint(x[i]))                                                                      \
  X(float, rintf, (float p), (xf[i]), rintf(xf[i]))                                                                    \
  X(double, nextafter, (double p, double q), (x[i], y[i]), nextafter(x[i], y[i]))                                      \
  X(float, nextafterf, (float p, float q), (xf[i], yf[i]), nextafterf(xf[i], yf[i]))                                   \
  X(double, remainder, (double p, double q), (x[i], y[i]), remainder(x[i], y[i]))                                      \
  X(float, remainderf, (float p, float q), (xf[i], yf[i]), remainderf(xf[i], yf[i]))                                   \
  X(double, nan, (const signed char *p), ((const signed char *)""), NAN)                                                \
  X(float, nanf, (const signed char *p), ((const signed char *)""), NAN)

// Of the two halves or four bytes of a word, which are p and q here; `least` and `largest` are what one of them can be.
#define OF_TWO_PARTS(X)                                                                                                \
  X(vabsdiffs, 1, labs(p - q)) X(vabsdiffu, 0, labs(p - q)) X(vadd, 0, p + q) X(vaddss, 1, clamped(p + q, least, largest)) \
  X(vaddus, 0, clamped(p + q, least, largest)) X(vsub, 0, p - q) X(vsubss, 1, clamped(p - q, least, largest))          \
  X(vsubus, 0, clamped(p - q, least, largest)) X(vavgs, 1, (p + q + (p + q >= 0 ? 1 : -1)) / 2)                        \
  X(vavgu, 0, (p + q + 1) / 2) X(vhaddu, 0, (p + q) / 2) X(vmaxs, 1, p > q ? p : q) X(vmaxu, 0, p > q ? p : q)         \
  X(vmins, 1, p < q ? p : q) X(vminu, 0, p < q ? p : q) X(vcmpeq, 0, p == q ? -1 : 0) X(vcmpne, 0, p != q ? -1 : 0)    \
  X(vcmpges, 1, p >= q ? -1 : 0) X(vcmpgeu, 0, p >= q ? -1 : 0) X(vcmpgts, 1, p > q ? -1 : 0)                          \
  X(vcmpgtu, 0, p > q ? -1 : 0) X(vcmples, 1, p <= q ? -1 : 0) X(vcmpleu, 0, p <= q ? -1 : 0)                          \
  X(vcmplts, 1, p < q ? -1 : 0) X(vcmpltu, 0, p < q ? -1 : 0) X(vseteq, 0, p == q) X(vsetne, 0, p != q)                \
  X(vsetges, 1, p >= q) X(vsetgeu, 0, p >= q) X(vsetgts, 1, p > q) X(vsetgtu, 0, p > q) X(vsetles, 1, p <= q)          \
  X(vsetleu, 0, p <= q) X(vsetlts, 1, p < q) X(vsetltu, 0, p < q)
#define OF_ONE_PART(X)                                                                                                 \
  X(vabs, 1, labs(p)) X(vabsss, 1, clamped(labs(p), least, largest)) X(vneg, 1, -p) X(vnegss, 1, clamped(-p, least, largest))
#define OF_SUMS(X) X(vsads, 1) X(vsadu, 0)

#pragma omp begin declare target
#define DECLARE(type, name, parameters, ...) type __nv_##name parameters BODY
OF_WORDS(DECLARE)
OF_CLASSES(DECLARE)
OF_NUMBERS(DECLARE)
#define DECLARE_TWO(name, ...)                                                                                         \
  unsigned __nv_##name##2(unsigned p, unsigned q) BODY unsigned __nv_##name##4(unsigned p, unsigned q) BODY
#define DECLARE_ONE(name, ...) unsigned __nv_##name##2(unsigned p) BODY unsigned __nv_##name##4(unsigned p) BODY
OF_TWO_PARTS(DECLARE_TWO)
OF_SUMS(DECLARE_TWO)
OF_ONE_PART(DECLARE_ONE)
double __nv_modf(double p, double *whole) BODY
float __nv_modff(float p, float *whole) BODY
float __nv_frexpf(float p, int *exponent) BODY
double __nv_remquo(double p, double q, int *quotient) BODY
float __nv_remquof(float p, float q, int *quotient) BODY
void __nv_sincos(double p, double *sine, double *cosine) BODY
void __nv_sincospi(double p, double *sine, double *cosine) BODY
void __nv_sincospif(float p, float *sine, float *cosine) BODY
double __nv_norm(int count, const double *p) BODY
float __nv_normf(int count, const float *p) BODY
double __nv_rnorm(int count, const double *p) BODY
float __nv_rnormf(int count, const float *p) BODY
float __nv_fast_cosf(float p) BODY
float __nv_fast_sinf(float p) BODY
float __nv_fast_tanf(float p) BODY
float __nv_fast_tanhf(float p) BODY
float __nv_fast_expf(float p) BODY
float __nv_fast_exp10f(float p) BODY
float __nv_fast_logf(float p) BODY
float __nv_fast_log2f(float p) BODY
float __nv_fast_log10f(float p) BODY
float __nv_fast_powf(float p, float q) BODY
float __nv_fast_fdividef(float p, float q) BODY
void __nv_fast_sincosf(float p, float *sine, float *cosine) BODY
#pragma omp end declare target

static Bits reversed(Bits value) {
  Bits result = 0;
  for (int i = 0; i < 64; ++i)
    result |= (value >> i & 1) << (63 - i);
  return result;
}
static int length(Bits value) {
  int bits = 0;
  for (; value; value >>= 1)
    ++bits;
  return bits;
}
static int ones(Bits value) {
  int count = 0;
  for (; value; value >>= 1)
    count += value & 1;
  return count;
}
static Bits bits_of(double value) {
  Bits bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}
static unsigned bits_of_float(float value) {
  unsigned bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}
static double of_bits(Bits bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
static float of_float_bits(unsigned bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
static long clamped(long value, long least, long largest) {
  return value < least ? least : value > largest ? largest : value;
}

#define INDEX(type, name, ...) OF_##name,
#define COMPUTE(type, name, parameters, values, ...) got[OF_##name][i] = __nv_##name values;
#define COMPARE(type, name, parameters, values, host)                                                                  \
  {                                                                                                                    \
    int wrong = 0;                                                                                                     \
    for (int i = 0; i < N; ++i)                                                                                        \
      wrong += IS_WRONG(got[OF_##name][i], (type)(host));                                                              \
    EXPECT(#name, wrong);                                                                                              \
  }

static void words(void) {
  enum { OF_WORDS(INDEX) OF_CLASSES(INDEX) COUNT };
  static Wide got[COUNT][N];
#pragma omp target teams distribute parallel for map(from : got) map(to : a, b, wa, wb, x, xf, moderate)
  for (int i = 0; i < N; ++i) {
    OF_WORDS(COMPUTE)
    OF_CLASSES(COMPUTE)
  }
#define IS_WRONG(got, want) ((got) != (Wide)(want))
  OF_WORDS(COMPARE)
#undef IS_WRONG
#define IS_WRONG(got, want) (!(got) != !(want))
  OF_CLASSES(COMPARE)
#undef IS_WRONG
}

static void numbers(void) {
  enum { OF_NUMBERS(INDEX) COUNT };
  static double got[COUNT][N];
#pragma omp target teams distribute parallel for map(from : got) map(to : a, b, wa, x, y, xf, yf, moderate)
  for (int i = 0; i < N; ++i) {
    OF_NUMBERS(COMPUTE)
  }
#define IS_WRONG(got, want) (!same(got, want))
  OF_NUMBERS(COMPARE)
#undef IS_WRONG
}

static long part(unsigned word, int number, int bits, int is_signed) {
  unsigned value = word >> number * bits & ((1u << bits) - 1);
  return is_signed && value >> (bits - 1) ? (long)value - (1l << bits) : (long)value;
}

#define ON_HOST(name, is_signed, value)                                                                                \
  static unsigned host_##name(unsigned v, unsigned w, int bits) {                                                      \
    unsigned result = 0;                                                                                               \
    long least = is_signed ? -(1l << (bits - 1)) : 0, largest = (1l << (bits - is_signed)) - 1;                        \
    for (int n = 0; n < 32 / bits; ++n) {                                                                              \
      long p = part(v, n, bits, is_signed), q = part(w, n, bits, is_signed);                                           \
      result |= ((unsigned)(value) & ((1u << bits) - 1)) << n * bits;                                                  \
      (void)least, (void)largest, (void)q;                                                                             \
    }                                                                                                                  \
    return result;                                                                                                     \
  }
OF_TWO_PARTS(ON_HOST)
OF_ONE_PART(ON_HOST)
#define SUM_ON_HOST(name, is_signed)                                                                                   \
  static unsigned host_##name(unsigned v, unsigned w, int bits) {                                                      \
    unsigned result = 0;                                                                                               \
    for (int n = 0; n < 32 / bits; ++n)                                                                                \
      result += (unsigned)labs(part(v, n, bits, is_signed) - part(w, n, bits, is_signed));                             \
    return result;                                                                                                     \
  }
OF_SUMS(SUM_ON_HOST)

static void parts(void) {
#define PART_INDEX(name, ...) OF_##name##2, OF_##name##4,
  enum { OF_TWO_PARTS(PART_INDEX) OF_SUMS(PART_INDEX) OF_ONE_PART(PART_INDEX) COUNT };
  static unsigned got[COUNT][N];
#pragma omp target teams distribute parallel for map(from : got) map(to : a, b)
  for (int i = 0; i < N; ++i) {
    unsigned v = (unsigned)a[i], w = (unsigned)b[i];
#define COMPUTE_TWO(name, ...) got[OF_##name##2][i] = __nv_##name##2(v, w), got[OF_##name##4][i] = __nv_##name##4(v, w);
#define COMPUTE_ONE(name, ...) got[OF_##name##2][i] = __nv_##name##2(v), got[OF_##name##4][i] = __nv_##name##4(v);
    OF_TWO_PARTS(COMPUTE_TWO)
    OF_SUMS(COMPUTE_TWO)
    OF_ONE_PART(COMPUTE_ONE)
  }
#define COMPARE_PARTS(name, ...)                                                                                       \
  {                                                                                                                    \
    int wrong = 0;                                                                                                     \
    for (int i = 0; i < N; ++i) {                                                                                      \
      wrong += got[OF_##name##2][i] != host_##name((unsigned)a[i], (unsigned)b[i], 16);                                \
      wrong += got[OF_##name##4][i] != host_##name((unsigned)a[i], (unsigned)b[i], 8);                                 \
    }                                                                                                                  \
    EXPECT(#name, wrong);                                                                                              \
  }
  OF_TWO_PARTS(COMPARE_PARTS)
  OF_SUMS(COMPARE_PARTS)
  OF_ONE_PART(COMPARE_PARTS)
}

// The last three bits of a quotient, with its sign: of more, no standard speaks.
static int low_quotient(int quotient) { return quotient < 0 ? -(-quotient & 7) : quotient & 7; }

static void two_results(void) {
  static double got[4][N], also[4][N];
  static float gotf[4][N], alsof[3][N];
  static int exponent[N], quotient[2][N];
#pragma omp target teams distribute parallel for map(from : got, also, gotf, alsof, exponent, quotient)                \
    map(to : x, y, xf, yf, moderate)
  for (int i = 0; i < N; ++i) {
    got[0][i] = __nv_modf(x[i], &also[0][i]);
    gotf[0][i] = __nv_modff(xf[i], &alsof[0][i]);
    gotf[1][i] = __nv_frexpf(xf[i], &exponent[i]);
    got[1][i] = __nv_remquo(x[i], y[i], &quotient[0][i]);
    gotf[2][i] = __nv_remquof(xf[i], yf[i], &quotient[1][i]);
    __nv_sincos(moderate[i], &got[2][i], &also[2][i]);
    __nv_sincospi(i * 0.125, &got[3][i], &also[3][i]);
    __nv_sincospif(i * 0.125f, &gotf[3][i], &alsof[2][i]);
  }
  int wrong[8] = {0};
  for (int i = 0; i < N; ++i) {
    double whole;
    float wholef;
    int power, times;
    double fraction = modf(x[i], &whole);
    wrong[0] += !same(got[0][i], fraction) || !same(also[0][i], whole);
    float fractionf = modff(xf[i], &wholef);
    wrong[1] += !same(gotf[0][i], fractionf) || !same(alsof[0][i], wholef);
    fractionf = frexpf(xf[i], &power);
    wrong[2] += !same(gotf[1][i], fractionf) || (isfinite(xf[i]) && exponent[i] != power);
    fraction = remquo(x[i], y[i], &times);
    wrong[3] += !same(got[1][i], fraction) || (!isnan(fraction) && low_quotient(quotient[0][i]) != low_quotient(times));
    fractionf = remquof(xf[i], yf[i], &times);
    wrong[4] += !same(gotf[2][i], fractionf) || (!isnan(fractionf) && low_quotient(quotient[1][i]) != low_quotient(times));
    wrong[5] += !near(got[2][i], sin(moderate[i]), 1e-15, 0) || !near(also[2][i], cos(moderate[i]), 1e-15, 0);
    // Eighths of a turn: the remainder is exact.
    double angle = fmod(i * 0.125, 2) * M_PI;
    wrong[6] += !near(got[3][i], sin(angle), 1e-15, 1e-15) || !near(also[3][i], cos(angle), 1e-15, 1e-15);
    wrong[7] += !near(gotf[3][i], sin(angle), 2e-7, 1e-15) || !near(alsof[2][i], cos(angle), 2e-7, 1e-15);
  }
  EXPECT("modf", wrong[0]);
  EXPECT("modff", wrong[1]);
  EXPECT("frexpf", wrong[2]);
  EXPECT("remquo", wrong[3]);
  EXPECT("remquof", wrong[4]);
  EXPECT("sincos", wrong[5]);
  EXPECT("sincospi", wrong[6]);
  EXPECT("sincospif", wrong[7]);
}

static void norms(void) {
  double got[2];
  float gotf[2];
#pragma omp target map(from : got, gotf)
  {
    double p[7];
    float q[7];
    for (int i = 0; i < 7; ++i)
      p[i] = (i - 3) * 1e200, q[i] = (i - 3) * 1e30f;
    got[0] = __nv_norm(7, p), got[1] = __nv_rnorm(7, p);
    gotf[0] = __nv_normf(7, q), gotf[1] = __nv_rnormf(7, q);
  }
  double root = sqrt(28.0);
  EXPECT("norm", !near(got[0], root * 1e200, 1e-15, 0));
  EXPECT("rnorm", !near(got[1], 1e-200 / root, 1e-15, 0));
  EXPECT("normf", !near(gotf[0], root * 1e30, 4e-7, 0));
  EXPECT("rnormf", !near(gotf[1], 1e-30 / root, 4e-7, 0));
}

// Fast functions: with the errors of the machine's approximations, where their arguments are not far from 1.
static void fast(void) {
  enum { SIN, COS, SIN2, COS2, TAN, TANH, EXP, EXP10, LOG, LOG2, LOG10, POW, DIVIDE, COUNT };
  static float got[COUNT][N];
#pragma omp target teams distribute parallel for map(from : got)
  for (int i = 0; i < N; ++i) {
    float angle = (i - N / 2) * 0.0625f, positive = 0.125f + i * 0.25f;
    got[SIN][i] = __nv_fast_sinf(angle);
    got[COS][i] = __nv_fast_cosf(angle);
    __nv_fast_sincosf(angle, &got[SIN2][i], &got[COS2][i]);
    got[TAN][i] = __nv_fast_tanf(angle / 4);
    got[TANH][i] = __nv_fast_tanhf(angle);
    got[EXP][i] = __nv_fast_expf(angle);
    got[EXP10][i] = __nv_fast_exp10f(angle);
    got[LOG][i] = __nv_fast_logf(positive);
    got[LOG2][i] = __nv_fast_log2f(positive);
    got[LOG10][i] = __nv_fast_log10f(positive);
    got[POW][i] = __nv_fast_powf(positive, angle);
    got[DIVIDE][i] = __nv_fast_fdividef(angle, positive);
  }
  int wrong[COUNT] = {0};
  for (int i = 0; i < N; ++i) {
    double angle = (i - N / 2) * 0.0625, positive = 0.125 + i * 0.25;
    wrong[SIN] += !near(got[SIN][i], sin(angle), 0, 1e-6);
    wrong[COS] += !near(got[COS][i], cos(angle), 0, 1e-6);
    wrong[SIN2] += !near(got[SIN2][i], sin(angle), 0, 1e-6);
    wrong[COS2] += !near(got[COS2][i], cos(angle), 0, 1e-6);
    wrong[TAN] += !near(got[TAN][i], tan(angle / 4), 1e-5, 1e-6);
    wrong[TANH] += !near(got[TANH][i], tanh(angle), 1e-3, 0);
    wrong[EXP] += !near(got[EXP][i], exp(angle), 1e-5, 0);
    wrong[EXP10] += !near(got[EXP10][i], pow(10, angle), 1e-5, 0);
    wrong[LOG] += !near(got[LOG][i], log(positive), 1e-6, 1e-6);
    wrong[LOG2] += !near(got[LOG2][i], log2(positive), 1e-6, 1e-6);
    wrong[LOG10] += !near(got[LOG10][i], log10(positive), 1e-6, 1e-6);
    wrong[POW] += !near(got[POW][i], pow(positive, angle), 1e-5, 0);
    wrong[DIVIDE] += !near(got[DIVIDE][i], angle / positive, 1e-6, 0);
  }
  EXPECT("fast_sinf", wrong[SIN]);
  EXPECT("fast_cosf", wrong[COS]);
  EXPECT("fast_sincosf", wrong[SIN2] + wrong[COS2]);
  EXPECT("fast_tanf", wrong[TAN]);
  EXPECT("fast_tanhf", wrong[TANH]);
  EXPECT("fast_expf", wrong[EXP]);
  EXPECT("fast_exp10f", wrong[EXP10]);
  EXPECT("fast_logf", wrong[LOG]);
  EXPECT("fast_log2f", wrong[LOG2]);
  EXPECT("fast_log10f", wrong[LOG10]);
  EXPECT("fast_powf", wrong[POW]);
  EXPECT("fast_fdividef", wrong[DIVIDE]);
}

int main(void) {
  if (omp_get_num_devices() == 0)
    return finish();
  make_arguments();
  words();
  numbers();
  parts();
  two_results();
  norms();
  fast();
  return finish();
}
