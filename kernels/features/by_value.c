// Structures that functions take by value and only read, from memory of all kinds.
#include "check.h"

typedef struct {
  long low, high, rest[3];
} Pair;

#pragma omp begin declare target
static Pair shared_pair = {7, 11, {1, 2, 3}};

static Pair sum(Pair a, Pair b) {
  return (Pair){a.low + b.low, a.high - b.high, {a.rest[0], b.rest[1], a.rest[2] + b.rest[2]}};
}

static __attribute__((noinline)) long total(Pair a, int which) {
  return a.low + a.high + a.rest[which];
}
#pragma omp end declare target

static Pair numbered(long i) { return (Pair){i, 2 * i, {3 * i, 4 * i, 5 * i}}; }

static long differ(Pair a, Pair b) {
  return a.low != b.low || a.high != b.high || a.rest[0] != b.rest[0] || a.rest[1] != b.rest[1] || a.rest[2] != b.rest[2];
}

int main(void) {
  enum { N = 96 };
  Pair list[N], serial = {0, 0, {0}}, expected = {0, 0, {0}};
  long totals[N], wrong = 0;
  for (int i = 0; i < N; ++i)
    list[i] = numbered(i);

#pragma omp target map(tofrom : serial) map(to : list)
  {
    for (int i = 0; i < N; ++i)
      serial = sum(serial, list[i]);
    Pair own = serial;
#pragma omp parallel
    {
#pragma omp critical
      own = sum(own, shared_pair);
#pragma omp barrier
#pragma omp single
      serial = sum(own, serial);
    }
  }

#pragma omp target teams distribute parallel for map(tofrom : list) map(from : totals)
  for (int i = 0; i < N; ++i) {
    totals[i] = total(list[i], i % 3) + total(shared_pair, i % 3);
    list[i] = sum(list[i], shared_pair);
  }

  long threads = 0;
#pragma omp target map(from : threads)
#pragma omp parallel
#pragma omp single
  threads = omp_get_num_threads();
  for (int i = 0; i < N; ++i)
    expected = sum(expected, numbered(i));
  Pair own = expected;
  for (int i = 0; i < threads; ++i)
    own = sum(own, shared_pair);
  CHECK("serial code", differ(serial, sum(own, expected)), 0L);
  for (int i = 0; i < N; ++i) {
    wrong += totals[i] != total(numbered(i), i % 3) + total(shared_pair, i % 3);
    wrong += differ(list[i], sum(numbered(i), shared_pair));
  }
  CHECK("parallel loop", wrong, 0L);
  return finish();
}
