// Reductions of all types and operators: over teams, over the threads of one region, in a loop after serial code.
//
// One kernel reduces with all operators of a type at once. The values are chosen so that every order gives the same
// result: sums stay exact, products have few factors that are not 1.
#include "check.h"

enum { N = 1000 };

static int at(int i) { return i % 23 - 11; }
static int factor(int i) { return i % 250 == 7 ? 2 : i == 500 ? -1 : 1; }
static int bits(int i) { return i % 40 == 3 ? i % 7 : -1; }
#pragma omp declare target to(at, factor, bits)

// The initial values are not neutral: a reduction must combine with them.
#define VARIABLES(T)                                                                                                   \
  T sum = 3, difference = 5, product = 3, most = (T)-100, least = 100;                                                 \
  int both = 1, either = 0, neither = 0, broken = 1;

#define CLAUSES                                                                                                        \
  reduction(+ : sum) reduction(- : difference) reduction(* : product) reduction(max : most) reduction(min : least)     \
      reduction(&& : both, broken) reduction(|| : either, neither)

#define BODY(T)                                                                                                        \
  sum += (T)at(i);                                                                                                     \
  difference -= (T)at(i);                                                                                              \
  product *= (T)factor(i);                                                                                             \
  most = (T)at(i) > most ? (T)at(i) : most;                                                                            \
  least = (T)at(i) < least ? (T)at(i) : least;                                                                         \
  both = both && factor(i);                                                                                            \
  broken = broken && i != 321;                                                                                         \
  either = either || i == 777;                                                                                         \
  neither = neither || i < 0;

#define RESULTS(T, form)                                                                                               \
  do {                                                                                                                 \
    int truths = both + 10 * broken + 100 * either + 1000 * neither;                                                   \
    T got[5] = {sum, difference, product, most, least};                                                                \
    VARIABLES_AGAIN(T)                                                                                                 \
    CHECK(form " " #T " sum", got[0], want[0]);                                                                        \
    CHECK(form " " #T " difference", got[1], want[1]);                                                                 \
    CHECK(form " " #T " product", got[2], want[2]);                                                                    \
    CHECK(form " " #T " max", got[3], want[3]);                                                                        \
    CHECK(form " " #T " min", got[4], want[4]);                                                                        \
    CHECK(form " " #T " logical", truths, 101);                                                                        \
  } while (0)

// The same on the host, one after the other.
#define VARIABLES_AGAIN(T)                                                                                             \
  T want[5];                                                                                                           \
  {                                                                                                                    \
    VARIABLES(T)                                                                                                       \
    for (int i = 0; i < N; ++i) {                                                                                      \
      BODY(T)                                                                                                          \
    }                                                                                                                  \
    (void)both, (void)broken, (void)either, (void)neither;                                                             \
    want[0] = sum, want[1] = difference, want[2] = product, want[3] = most, want[4] = least;                           \
  }

#define PRAGMA(text) _Pragma(#text)
#define LOOP(directive) PRAGMA(directive)

#define REDUCE(T, name)                                                                                                \
  static void name(void) {                                                                                             \
    {                                                                                                                  \
      VARIABLES(T)                                                                                                     \
      LOOP(omp target teams distribute parallel for CLAUSES)                                                           \
      for (int i = 0; i < N; ++i) {                                                                                    \
        BODY(T)                                                                                                        \
      }                                                                                                                \
      RESULTS(T, "teams");                                                                                             \
    }                                                                                                                  \
    {                                                                                                                  \
      VARIABLES(T)                                                                                                     \
      LOOP(omp target parallel for CLAUSES)                                                                            \
      for (int i = 0; i < N; ++i) {                                                                                    \
        BODY(T)                                                                                                        \
      }                                                                                                                \
      RESULTS(T, "parallel");                                                                                          \
    }                                                                                                                  \
    {                                                                                                                  \
      VARIABLES(T)                                                                                                     \
      PRAGMA(omp target map(tofrom : sum, difference, product, most, least, both, broken, either, neither))            \
      {                                                                                                                \
        sum += 1;                                                                                                      \
        LOOP(omp parallel for CLAUSES)                                                                                 \
        for (int i = 0; i < N; ++i) {                                                                                  \
          BODY(T)                                                                                                      \
        }                                                                                                              \
        sum -= 1;                                                                                                      \
      }                                                                                                                \
      RESULTS(T, "serial");                                                                                            \
    }                                                                                                                  \
  }

REDUCE(signed char, reduce_signed_char)
REDUCE(short, reduce_short)
REDUCE(int, reduce_int)
REDUCE(long, reduce_long)
REDUCE(float, reduce_float)
REDUCE(double, reduce_double)

#define REDUCE_BITS(T, name)                                                                                           \
  static void name(void) {                                                                                             \
    T and = (T)~(T)8, or = 16, xor = 5, want_and = (T)~(T)8, want_or = 16, want_xor = 5, sum = 7, want_sum = 7;        \
    PRAGMA(omp target teams distribute parallel for reduction(& : and) reduction(| : or) reduction(^ : xor)            \
               reduction(+ : sum))                                                                                     \
    for (int i = 0; i < N; ++i) {                                                                                      \
      and &= (T)bits(i);                                                                                               \
      or |= (T)(i & 0x41);                                                                                             \
      xor ^= (T)(i * 3);                                                                                               \
      sum += (T)i * (T)i;                                                                                              \
    }                                                                                                                  \
    for (int i = 0; i < N; ++i) {                                                                                      \
      want_and &= (T)bits(i);                                                                                          \
      want_or |= (T)(i & 0x41);                                                                                        \
      want_xor ^= (T)(i * 3);                                                                                          \
      want_sum += (T)i * (T)i;                                                                                         \
    }                                                                                                                  \
    CHECK(#T " and", and, want_and);                                                                                   \
    CHECK(#T " or", or, want_or);                                                                                      \
    CHECK(#T " xor", xor, want_xor);                                                                                   \
    CHECK(#T " sum that wraps", sum, want_sum);                                                                        \
  }

REDUCE_BITS(unsigned char, bits_unsigned_char)
REDUCE_BITS(unsigned short, bits_unsigned_short)
REDUCE_BITS(unsigned, bits_unsigned)
REDUCE_BITS(unsigned long, bits_unsigned_long)

int main(void) {
  reduce_signed_char();
  reduce_short();
  reduce_int();
  reduce_long();
  reduce_float();
  reduce_double();
  bits_unsigned_char();
  bits_unsigned_short();
  bits_unsigned();
  bits_unsigned_long();
  return finish();
}
