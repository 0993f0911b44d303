// atomic: every operation and type that programs use, capture and compare, by the threads of many teams.
#include "check.h"

enum { N = 1000 };

#define ATOMICS(T)                                                                                                     \
  do {                                                                                                                 \
    T sum = 5, difference = 5, product = 1, low = 100, high = -100, last = -1, read = 0;                               \
    PRAGMA(omp target teams distribute parallel for map(tofrom : sum, difference, product, low, high, last)            \
               map(tofrom : read))                                                                                     \
    for (int i = 0; i < N; ++i) {                                                                                      \
      T v = (T)(i % 7), copy;                                                                                          \
      PRAGMA(omp atomic)                                                                                               \
      sum += v;                                                                                                        \
      PRAGMA(omp atomic)                                                                                               \
      difference -= v;                                                                                                 \
      PRAGMA(omp atomic)                                                                                               \
      product *= (T)(i % 200 == 0 ? 2 : 1);                                                                            \
      PRAGMA(omp atomic compare)                                                                                       \
      if (v < low) {                                                                                                   \
        low = v;                                                                                                       \
      }                                                                                                                \
      PRAGMA(omp atomic compare)                                                                                       \
      if (v > high) {                                                                                                  \
        high = v;                                                                                                      \
      }                                                                                                                \
      PRAGMA(omp atomic write)                                                                                         \
      last = v;                                                                                                        \
      PRAGMA(omp atomic read)                                                                                          \
      copy = last;                                                                                                     \
      PRAGMA(omp atomic)                                                                                               \
      read += (T)(copy >= 0 && copy < 7 ? 1 : 1000);                                                                   \
    }                                                                                                                  \
    CHECK(#T " +", sum, (T)(5 + 142 * 21 + 15));                                                                       \
    CHECK(#T " -", difference, (T)(5 - 142 * 21 - 15));                                                                \
    CHECK(#T " *", product, 32);                                                                                       \
    CHECK(#T " min", low, 0);                                                                                          \
    CHECK(#T " max", high, 6);                                                                                         \
    CHECK(#T " write, read", read, N);                                                                                 \
    CHECK_THAT(#T " write", last >= 0 && last < 7);                                                                    \
  } while (0)

int main(void) {
  ATOMICS(int);
  ATOMICS(long);
  ATOMICS(float);
  ATOMICS(double);

  // bits, of unsigned types and of small ones
  unsigned bits = 0xffffffffu, set = 0, toggled = 0;
  unsigned long wide = 0;
  unsigned char byte = 0;
  short half = 0;
#pragma omp target teams distribute parallel for map(tofrom : bits, set, toggled, wide, byte, half)
  for (int i = 0; i < N; ++i) {
#pragma omp atomic
    bits &= ~(1u << (i % 16));
#pragma omp atomic
    set |= 1u << (i % 8);
#pragma omp atomic
    toggled ^= (unsigned)i;
#pragma omp atomic
    wide |= 1ul << (i % 64);
#pragma omp atomic
    byte += 1;
#pragma omp atomic
    half -= 3;
  }
  unsigned want = 0;
  for (int i = 0; i < N; ++i)
    want ^= (unsigned)i;
  CHECK("and", bits, 0xffff0000u);
  CHECK("or", set, 0xffu);
  CHECK("xor", toggled, want);
  CHECK("or of 64 bits", wide, ~0ul);
  CHECK("byte", byte, N % 256);
  CHECK("short", half, (short)(-3 * N));

  // capture: each ticket once
  int next = 0, tickets[N], duplicates = 0;
  for (int i = 0; i < N; ++i)
    tickets[i] = 0;
#pragma omp target teams distribute parallel for map(tofrom : next, tickets)
  for (int i = 0; i < N; ++i) {
    int mine;
#pragma omp atomic capture
    mine = next++;
    tickets[mine] += 1;
  }
  for (int i = 0; i < N; ++i)
    duplicates += tickets[i] != 1;
  CHECK("capture: tickets not given once", duplicates, 0);
  CHECK("capture: counter", next, N);

  // exchange: the sum of what comes out and what stays is what went in
  long box = 1000000, out = 0;
#pragma omp target teams distribute parallel for map(tofrom : box) reduction(+ : out)
  for (int i = 0; i < N; ++i) {
    long old;
#pragma omp atomic capture
    {
      old = box;
      box = i;
    }
    out += old;
  }
  CHECK("capture: exchange", out + box, 1000000 + (long)N * (N - 1) / 2);

  // compare and capture: one winner
  int owner = -1, winners = 0, claims = 0;
#pragma omp target teams distribute parallel for map(tofrom : owner) reduction(+ : winners)
  for (int i = 0; i < N; ++i) {
    int seen;
#pragma omp atomic compare capture
    {
      seen = owner;
      if (owner == -1) {
        owner = i;
      }
    }
    winners += seen == -1;
  }
  CHECK("compare capture: winners", winners, 1);
  CHECK_THAT("compare capture: owner", owner >= 0 && owner < N);

  // memory orders
#pragma omp target teams distribute parallel for map(tofrom : claims)
  for (int i = 0; i < N; ++i) {
#pragma omp atomic seq_cst
    claims += 1;
#pragma omp atomic release
    claims += 1;
#pragma omp atomic relaxed
    claims += 1;
  }
  CHECK("memory orders", claims, 3 * N);
  return finish();
}
