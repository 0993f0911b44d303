// Dynamic, guided, auto and runtime schedules: every iteration exactly once, whoever takes it; any bounds; lastprivate.
#include "check.h"
#include "iterations.h"

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

  clear();
#pragma omp target teams distribute parallel for num_teams(4) dist_schedule(static, 50)                                \
    schedule(nonmonotonic : dynamic, 3) map(tofrom : hits)
  for (int i = 0; i < N - 7; ++i)
    hits[i] += 1;
  CHECK("dist_schedule(static, 50) schedule(dynamic, 3)", once(N - 7), 1);

  // wide and unsigned counters, downwards, reductions and lastprivate
  unsigned long sum = 0, want = 0;
#pragma omp target teams distribute parallel for schedule(dynamic, 5) reduction(+ : sum)
  for (unsigned long i = 1ul << 40; i < (1ul << 40) + 500; i += 3)
    sum += i;
  for (unsigned long i = 1ul << 40; i < (1ul << 40) + 500; i += 3)
    want += i;
  CHECK("unsigned long, step 3", sum, want);
  unsigned long most = ~0ul, near = 0;
#pragma omp target parallel for schedule(guided, 2) reduction(+ : near)
  for (unsigned long i = most - 700; i < most; ++i)
    near += most - i;
  CHECK("unsigned long near its end", near, 700ul * 701 / 2);
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
  CHECK("lastprivate, guided", last, 300 - 7 * 85);
#pragma omp target parallel for schedule(dynamic, 4) lastprivate(last) map(tofrom : last)
  for (int i = 11; i < 11 + N; ++i)
    last = 7 * i;
  // The host's own runtime, whose threads steal iterations from each other, at times leaves the variable as it was.
  CHECK_THAT("lastprivate, dynamic", last == 7 * (10 + N) || !offloads());
  int shares = 1;
  for (int n = 1; n < 400; n += 37) {
    int count = 0;
#pragma omp target parallel for num_threads(64) schedule(static, 3) lastprivate(last) map(tofrom : last) reduction(+ : count)
    for (int i = 11; i < 11 + n; ++i) {
      last = 7 * i;
      count += 1;
    }
    shares &= last == 7 * (10 + n) && count == n;
    // The host's own runtime counts this loop wrongly.
    if (offloads()) {
      count = 0;
#pragma omp target parallel for schedule(simd : static, 5) lastprivate(last) map(tofrom : last) reduction(+ : count)
      for (int i = 11; i < 11 + n; ++i) {
        last = 5 * i;
        count += 1;
      }
      shares &= last == 5 * (10 + n) && count == n;
    }
  }
  CHECK("lastprivate, static chunks, lower bound 11", shares, 1);
  for (int i = 0; i < 3; ++i)
    hits[i] = 0;
#pragma omp target teams distribute parallel for collapse(2) schedule(dynamic, 3) map(tofrom : hits) num_teams(2)
  for (int i = 0; i < 30; ++i)
    for (int j = 0; j < 10; ++j)
#pragma omp atomic
      hits[j % 3] += i + j;
  CHECK("collapse(2)", hits[0] + hits[1] + hits[2], 300 * 29 / 2 + 30 * 45);

  return finish();
}
