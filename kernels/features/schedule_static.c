// Static worksharing: chunks, distribute schedules, collapse, odd bounds and steps, wide counters, lastprivate, linear,
// loops in a region. Every iteration exactly once.
#include "check.h"
#include "iterations.h"

#define COVER(name, clauses)                                                                                           \
  do {                                                                                                                 \
    int whole = 1;                                                                                                     \
    for (int k = 0; k < 5; ++k) {                                                                                      \
      int n = lengths[k];                                                                                              \
      clear();                                                                                                         \
      PRAGMA(omp target teams distribute parallel for map(tofrom : hits) clauses)                                      \
      for (int i = 0; i < n; ++i)                                                                                      \
        hits[i] += 1;                                                                                                  \
      whole &= once(n);                                                                                                \
    }                                                                                                                  \
    CHECK(name, whole, 1);                                                                                             \
  } while (0)

int main(void) {
  static const int lengths[5] = {0, 1, 31, 257, N};
  COVER("default", );
  COVER("schedule(static)", schedule(static));
  COVER("schedule(static, 1)", schedule(static, 1));
  COVER("schedule(static, 7)", schedule(static, 7));
  COVER("schedule(static, 5000)", schedule(static, 5000));
  COVER("dist_schedule(static)", dist_schedule(static));
  COVER("dist_schedule(static, 13)", dist_schedule(static, 13));
  COVER("dist_schedule(static, 64) schedule(static, 3)", dist_schedule(static, 64) schedule(static, 3));
  COVER("num_teams(1)", num_teams(1));
  COVER("num_teams(7) thread_limit(32)", num_teams(7) thread_limit(32));
  COVER("num_teams(300)", num_teams(300));
  COVER("order(concurrent)", order(concurrent));

  // steps, directions, bounds that do not start at 0
  clear();
#pragma omp target teams distribute parallel for map(tofrom : hits)
  for (int i = N - 1; i >= 0; i -= 1)
    hits[i] += 1;
  CHECK("downwards", once(N), 1);
  long sum = 0;
#pragma omp target teams distribute parallel for reduction(+ : sum)
  for (int i = -500; i <= 500; i += 7)
    sum += i;
  long want = 0;
  for (int i = -500; i <= 500; i += 7)
    want += i;
  CHECK("from a negative bound, step 7", sum, want);

  // 64-bit and unsigned counters near their ends
  unsigned long count = 0, first = 0xffffffffffffff00ul;
#pragma omp target teams distribute parallel for reduction(+ : count)
  for (unsigned long i = first; i < 0xfffffffffffffff0ul; i += 3)
    count += i - first;
  unsigned long want_count = 0;
  for (unsigned long i = first; i < 0xfffffffffffffff0ul; i += 3)
    want_count += i - first;
  CHECK("unsigned long near its end", count, want_count);
  unsigned wrapped = 0;
#pragma omp target teams distribute parallel for reduction(+ : wrapped)
  for (unsigned i = 4294967000u; i < 4294967290u; ++i)
    wrapped += 1;
  CHECK("unsigned near its end", wrapped, 290);
  long wide = 0;
#pragma omp target teams distribute parallel for reduction(+ : wide)
  for (long i = 1l << 40; i < (1l << 40) + 777; ++i)
    wide += i >> 40;
  CHECK("long beyond 32 bits", wide, 777);

  // collapse
  int square[30][40], good = 1;
  for (int i = 0; i < 30; ++i)
    for (int j = 0; j < 40; ++j)
      square[i][j] = 0;
#pragma omp target teams distribute parallel for collapse(2) map(tofrom : square)
  for (int i = 0; i < 30; ++i)
    for (int j = 0; j < 40; ++j)
      square[i][j] += i * 100 + j;
  for (int i = 0; i < 30; ++i)
    for (int j = 0; j < 40; ++j)
      good &= square[i][j] == i * 100 + j;
  CHECK("collapse(2)", good, 1);
  sum = 0;
#pragma omp target teams distribute parallel for collapse(3) reduction(+ : sum)
  for (int i = 0; i < 5; ++i)
    for (int j = 10; j > 0; j -= 2)
      for (int k = 0; k < 7; ++k)
        sum += i * 10000 + j * 100 + k;
  CHECK("collapse(3)", sum, 10 * 35 * 10000l + 30 * 35 * 100 + 21 * 25);

  // lastprivate, linear, private. Not lastprivate on the combined construct: clang 22 lets every thread of the last
  // team copy its own variable back, whether it had the last iteration or not.
  int last = -1, position = 3, scratch = 0, seen = 0;
#pragma omp target parallel for lastprivate(last) private(scratch) map(tofrom : last, hits)
  for (int i = 0; i < N; ++i) {
    scratch = i * 2;
    last = scratch;
    hits[i] = scratch;
  }
  CHECK("lastprivate of threads", last, 2 * (N - 1));
  CHECK("private", hits[N - 1], 2 * (N - 1));
#pragma omp target teams distribute lastprivate(last) map(tofrom : last) num_teams(5)
  for (int i = 0; i < N; ++i)
    last = 4 * i;
  CHECK("lastprivate of teams", last, 4 * (N - 1));
#pragma omp target parallel for linear(position : 2) map(tofrom : position, hits)
  for (int i = 0; i < N; ++i) {
    hits[i] = position;
    position += 2;
  }
  CHECK("linear: value in an iteration", hits[10], 23);
  CHECK("linear: value behind the loop", position, 3 + 2 * N);

  // distribute over teams, for over threads, nowait and barriers
  clear();
#pragma omp target teams distribute num_teams(5) thread_limit(64) map(tofrom : hits)
  for (int block = 0; block < 10; ++block) {
    int offset = block * 100;
#pragma omp parallel for
    for (int i = 0; i < 100; ++i)
      hits[offset + i] += 1;
  }
  CHECK("distribute, then parallel for", once(N), 1);

  clear();
#pragma omp target map(tofrom : hits, seen)
  {
#pragma omp parallel num_threads(96)
    {
#pragma omp for nowait
      for (int i = 0; i < N / 2; ++i)
        hits[i] += 1;
#pragma omp for schedule(static, 9)
      for (int i = N / 2; i < N; ++i)
        hits[i] += 1;
      int sum = 0;
      for (int i = 0; i < N; ++i)
        sum += hits[i];
      if (sum != N)
#pragma omp atomic
        seen += 1;
    }
  }
  CHECK("two loops, one nowait", once(N), 1);
  CHECK("threads that left the loop too early", seen, 0);

#pragma omp target teams loop map(tofrom : hits)
  for (int i = 0; i < N; ++i)
    hits[i] += 1;
  CHECK("teams loop", hits[0] + hits[N - 1], 4);
  return finish();
}
