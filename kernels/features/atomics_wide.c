// Atomic accesses for which clang calls a function: complex numbers, 16 bytes, odd sizes.
#include "check.h"
#include <complex.h>
#include <stdatomic.h>

typedef struct {
  long a, b;
} Pair;
typedef struct {
  int a, b, c;
} Three;
typedef struct {
  char c[3];
} Bytes;

enum { N = 240 };

int main(void) {
  double _Complex sum = 0;
  float _Complex small = 0;
  __int128 wide = 0, product = 1, seen = 0;
  int torn = 0;
#pragma omp target teams distribute parallel for num_teams(4) thread_limit(64)                                        \
    map(tofrom : sum, small, wide, product, seen, torn)
  for (int i = 0; i < N; ++i) {
#pragma omp atomic
    sum += 1.0 + 2.0 * I;
#pragma omp atomic
    small += 0.5f;
#pragma omp atomic
    wide += ((__int128)1 << 64) + 1;
    __int128 before;
#pragma omp atomic capture
    {
      before = product;
      product = product + 3;
    }
    if ((before - 1) % 3 != 0)
#pragma omp atomic
      torn += 1;
    __int128 now;
#pragma omp atomic read
    now = wide;
    if ((long)now != (long)(now >> 64))
#pragma omp atomic
      torn += 1;
#pragma omp atomic write
    seen = now;
  }
  CHECK("complex double", creal(sum) * 10000 + cimag(sum), N * 10000.0 + 2 * N);
  CHECK("complex float", crealf(small), N * 0.5);
  CHECK("16 bytes: low half", (long)wide, N);
  CHECK("16 bytes: high half", (long)(wide >> 64), N);
  CHECK("16 bytes: captured", (long)product, 1 + 3 * N);
  CHECK("16 bytes: torn values", torn, 0);
  CHECK_THAT("16 bytes: written", (long)seen >= 1 && (long)seen <= N && (long)seen == (long)(seen >> 64));

  _Atomic Three three = (Three){0, 0, 0};
  _Atomic Bytes bytes = (Bytes){{0, 0, 0}};
  _Atomic Pair pair = (Pair){0, 0};
  int odd = 0;
#pragma omp target parallel for map(tofrom : three, bytes, pair, odd)
  for (int i = 0; i < N; ++i) {
    Three t = three, u;
    do {
      if (t.a != t.b || t.b != t.c)
#pragma omp atomic
        odd += 1;
      u.a = u.b = u.c = t.a + 1;
    } while (!atomic_compare_exchange_strong(&three, &t, u));
    Bytes b = bytes, c;
    if (b.c[0] != b.c[1] || b.c[1] != b.c[2])
#pragma omp atomic
      odd += 1;
    c.c[0] = c.c[1] = c.c[2] = i % 100;
    bytes = c;
    Pair p = {i, -i};
    pair = p;
    Pair q = pair;
    if (q.a != -q.b)
#pragma omp atomic
      odd += 1;
  }
  Three total = three;
  CHECK("12 bytes", total.a, N);
  CHECK("torn structures", odd, 0);
  // Which of them the machine has instructions for: bytes, the numbers of this program, and what is not aligned.
  int locked[6];
#pragma omp target map(from : locked) map(to : three, pair)
  {
    long number = 0;
    locked[0] = !atomic_is_lock_free(&pair);
    locked[1] = !atomic_is_lock_free(&three);
    locked[2] = !__atomic_is_lock_free(8, &number);
    locked[3] = !__atomic_is_lock_free(8, (char *)&number + 4);
    locked[4] = !__atomic_is_lock_free(4, (char *)&number + 4);
    locked[5] = !__atomic_is_lock_free(2, 0);
  }
  CHECK("locked", locked[0] * 32 + locked[1] * 16 + locked[2] * 8 + locked[3] * 4 + locked[4] * 2 + locked[5], 52);
  return finish();
}
