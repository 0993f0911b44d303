// Reductions with all operators of one type T at once (-DT='signed char', default int): over teams, over the threads of
// one region, in a loop after serial code. With -DBITS the bit operators of T, which is then unsigned.
//
// One type a program: the time of LLVM's openmp-opt pass grows with the square of the number of reductions in an image.
//
// The values are chosen so that every order gives the same result: sums stay exact, products have few factors that are
// not 1.
#include "check.h"

enum { N = 1000 };

#ifndef T
#define T int
#endif
#define LOOP(directive) PRAGMA(directive)

#ifndef BITS
static int at(int i) { return i % 23 - 11; }
static int factor(int i) { return i % 250 == 7 ? 2 : i == 500 ? -1 : 1; }
#pragma omp declare target to(at, factor)

// The initial values are not neutral: a reduction must combine with them.
#define VARIABLES                                                                                                      \
  T sum = 3, difference = 5, product = 3, most = (T)-100, least = 100;                                                 \
  int both = 1, either = 0, neither = 0, broken = 1;

#define CLAUSES                                                                                                        \
  reduction(+ : sum) reduction(- : difference) reduction(* : product) reduction(max : most) reduction(min : least)     \
      reduction(&& : both, broken) reduction(|| : either, neither)

#define BODY                                                                                                           \
  sum += (T)at(i);                                                                                                     \
  difference -= (T)at(i);                                                                                              \
  product *= (T)factor(i);                                                                                             \
  most = (T)at(i) > most ? (T)at(i) : most;                                                                            \
  least = (T)at(i) < least ? (T)at(i) : least;                                                                         \
  both = both && factor(i);                                                                                            \
  broken = broken && i != 321;                                                                                         \
  either = either || i == 777;                                                                                         \
  neither = neither || i < 0;

static T want[5];

static void compute_on_the_host(void) {
  VARIABLES
  for (int i = 0; i < N; ++i) {
    BODY
  }
  (void)both, (void)broken, (void)either, (void)neither;
  want[0] = sum, want[1] = difference, want[2] = product, want[3] = most, want[4] = least;
}

#define RESULTS(form)                                                                                                  \
  CHECK(form " sum", sum, want[0]);                                                                                    \
  CHECK(form " difference", difference, want[1]);                                                                      \
  CHECK(form " product", product, want[2]);                                                                            \
  CHECK(form " max", most, want[3]);                                                                                   \
  CHECK(form " min", least, want[4]);                                                                                  \
  CHECK(form " logical", both + 10 * broken + 100 * either + 1000 * neither, 101);

int main(void) {
  compute_on_the_host();
  {
    VARIABLES
    LOOP(omp target teams distribute parallel for CLAUSES)
    for (int i = 0; i < N; ++i) {
      BODY
    }
    RESULTS("teams")
  }
  {
    VARIABLES
    LOOP(omp target parallel for CLAUSES)
    for (int i = 0; i < N; ++i) {
      BODY
    }
    RESULTS("parallel")
  }
  {
    VARIABLES
#pragma omp target map(tofrom : sum, difference, product, most, least, both, broken, either, neither)
    {
      sum += 1;
      LOOP(omp parallel for CLAUSES)
      for (int i = 0; i < N; ++i) {
        BODY
      }
      sum -= 1;
    }
    RESULTS("serial")
  }
  return finish();
}
#else
static int bits(int i) { return i % 40 == 3 ? i % 7 : -1; }
#pragma omp declare target to(bits)

int main(void) {
  T and = (T)~(T)8, or = 16, xor = 5, want_and = and, want_or = or, want_xor = xor, sum = 7, want_sum = sum;
#pragma omp target teams distribute parallel for reduction(& : and) reduction(| : or) reduction(^ : xor) reduction(+ : sum)
  for (int i = 0; i < N; ++i) {
    and &= (T)bits(i);
    or |= (T)(i & 0x41);
    xor ^= (T)(i * 3);
    sum += (T)i * (T)i;
  }
  for (int i = 0; i < N; ++i) {
    want_and &= (T)bits(i);
    want_or |= (T)(i & 0x41);
    want_xor ^= (T)(i * 3);
    want_sum += (T)i * (T)i;
  }
  CHECK("and", and, want_and);
  CHECK("or", or, want_or);
  CHECK("xor", xor, want_xor);
  CHECK("sum that wraps", sum, want_sum);
  return finish();
}
#endif
