// Dynamic, guided, auto and runtime schedules: every iteration exactly once, whoever takes it; ordered regions.
#include "../features/check.h"

enum { N = 1000, THREADS = 96 };

static int hits[N];

static void clear(void) {
  for (int i = 0; i < N; ++i)
    hits[i] = 0;
}

static int once(int n) {
  for (int i = 0; i < N; ++i)
    if (hits[i] != (i < n))
      return 0;
  return 1;
}

#define PRAGMA(text) _Pragma(#text)
#define COVER(clause)                                                                                                  \
  do {                                                                                                                 \
    int combined = 1, region = 1;                                                                                      \
    for (int k = 0; k < 5; ++k) {                                                                                      \
      int n = lengths[k];                                                                                              \
      clear();                                                                                                         \
      PRAGMA(omp target teams distribute parallel for num_teams(3) map(tofrom : hits) clause)                          \
      for (int i = 0; i < n; ++i)                                                                                      \
        hits[i] += 1;                                                                                                  \
      combined &= once(n);                                                                                             \
      clear();                                                                                                         \
      PRAGMA(omp target map(tofrom : hits))                                                                            \
      {                                                                                                                \
        int bonus = 1;                                                                                                 \
        PRAGMA(omp parallel num_threads(64))                                                                           \
        {                                                                                                              \
          PRAGMA(omp for clause)                                                                                       \
          for (int i = 0; i < n; ++i)                                                                                  \
            hits[i] += bonus;                                                                                          \
          PRAGMA(omp for clause nowait)                                                                                \
          for (int i = 0; i < n; ++i)                                                                                  \
            hits[i] += hits[i] == 1 ? 0 : 100;                                                                         \
        }                                                                                                              \
      }                                                                                                                \
      region &= once(n);                                                                                               \
    }                                                                                                                  \
    CHECK("combined " #clause, combined, 1);                                                                           \
    CHECK("in a region " #clause, region, 1);                                                                          \
  } while (0)

int main(void) {
  static const int lengths[5] = {0, 1, 31, 257, N};
  COVER(schedule(dynamic));
  COVER(schedule(dynamic, 7));
  COVER(schedule(dynamic, 5000));
  COVER(schedule(guided));
  COVER(schedule(guided, 4));
  COVER(schedule(auto));
  COVER(schedule(runtime));
  COVER(schedule(monotonic : dynamic, 3));
  COVER(schedule(nonmonotonic : dynamic, 3));

  // wide and unsigned counters, downwards, reductions and lastprivate
  unsigned long sum = 0, want = 0;
#pragma omp target teams distribute parallel for schedule(dynamic, 5) reduction(+ : sum)
  for (unsigned long i = 1ul << 40; i < (1ul << 40) + 500; i += 3)
    sum += i;
  for (unsigned long i = 1ul << 40; i < (1ul << 40) + 500; i += 3)
    want += i;
  CHECK("unsigned long, step 3", sum, want);
  int down = 0, last = 0;
#pragma omp target parallel for schedule(guided) reduction(+ : down) lastprivate(last) map(tofrom : last)
  for (int i = 300; i > -300; i -= 7) {
    down += i;
    last = i;
  }
  int want_down = 0;
  for (int i = 300; i > -300; i -= 7)
    want_down += i;
  CHECK("downwards", down, want_down);
  CHECK("lastprivate", last, 300 - 7 * 85);

  // ordered: the iterations in their order, although threads take them as they come
  int order[200], position = 0, disorder = 0;
#pragma omp target map(from : order) map(tofrom : position)
#pragma omp parallel for ordered schedule(static, 1) num_threads(THREADS)
  for (int i = 0; i < 200; ++i) {
    int value = i * 2;
#pragma omp ordered
    order[position++] = value;
  }
  for (int i = 0; i < 200; ++i)
    disorder += order[i] != 2 * i;
  CHECK("ordered: iterations out of order", disorder, 0);
  CHECK("ordered: iterations", position, 200);

  // ordered chunks of a dynamic schedule
  position = disorder = 0;
#pragma omp target map(tofrom : position, disorder)
#pragma omp parallel for ordered schedule(dynamic, 2) num_threads(64)
  for (int i = 0; i < 150; ++i) {
#pragma omp ordered
    {
      if (position != i)
        disorder += 1;
      position += 1;
    }
  }
  CHECK("ordered, dynamic: iterations out of order", disorder, 0);
  CHECK("ordered, dynamic: iterations", position, 150);
  return finish();
}
