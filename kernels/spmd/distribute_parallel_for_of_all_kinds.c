// Loops over all threads of a league, in all the forms that become one loop, and in some that must stay two.
#include "shape.h"
#include <omp.h>
#include <stdint.h>

#define DO(x) _Pragma(#x)
#define LOOP_WITH(...) DO(omp target teams distribute parallel for __VA_ARGS__)

enum { MANY = 1000 };
static int hits[MANY];
#pragma omp declare target
static int bump(int *place) {
  int old;
#pragma omp atomic capture
  old = (*place)++;
  return old;
}
static int level_of_call(void) { return omp_get_level() + omp_in_parallel(); }
#pragma omp end declare target

// Each iteration of each loop hits its element once.
static void check(const char *what, int from, int to) {
  int wrong = OTHERS(hits, 0, from, 0) + OTHERS(hits, from, to, 1) + OTHERS(hits, to, MANY, 0);
  printf("%s: %d wrong\n", what, wrong);
  for (int i = 0; i < MANY; i++)
    hits[i] = 0;
}

int main(void) {
  int n = 777;
  LOOP_WITH(map(tofrom : hits)) for (int i = 0; i < n; i++) bump(&hits[i]);
  check("signed", 0, n);
  DO(omp target teams distribute parallel for simd map(tofrom : hits)) for (int i = 0; i < n; i++) hits[i]++;
  check("simd", 0, n);
  LOOP_WITH(map(tofrom : hits)) for (unsigned i = 3; i <= (unsigned)n; i += 1) bump(&hits[i]);
  check("unsigned", 3, n + 1);
  LOOP_WITH(map(tofrom : hits)) for (int64_t i = n - 1; i >= 0; i--) bump(&hits[i]);
  check("down", 0, n);
  LOOP_WITH(map(tofrom : hits)) for (uint64_t i = 0; i < (uint64_t)n; i += 7) for (int j = 0; j < 7; j++) bump(&hits[i + j]);
  check("in steps", 0, n);
  LOOP_WITH(num_teams(2) map(tofrom : hits)) for (int i = 0; i < 0; i++) bump(&hits[i]);
  check("none", 0, 0);
  LOOP_WITH(map(tofrom : hits)) for (int i = 5; i < 6; i++) bump(&hits[i]);
  check("one", 5, 6);
  LOOP_WITH(collapse(2) map(tofrom : hits)) for (int i = 0; i < 21; i++) for (int j = 0; j < 37; j++) bump(&hits[i * 37 + j]);
  check("collapsed", 0, 777);
  LOOP_WITH(map(tofrom : hits, n)) for (int i = 0; i < n; i++) bump(&hits[i]);
  check("bound in memory", 0, n);

  // Fewer threads than iterations.
  LOOP_WITH(num_teams(2) thread_limit(32) map(tofrom : hits)) for (int i = 0; i < n; i++) bump(&hits[i]);
  check("64 threads", 0, n);
  int teams = 3;
  LOOP_WITH(num_teams(teams) map(tofrom : hits)) for (int i = 0; i < n; i++) bump(&hits[i]);
  check("three teams", 0, n);
  LOOP_WITH(num_threads(5) map(tofrom : hits)) for (int i = 0; i < n; i++) bump(&hits[i]);
  check("five threads a team", 0, n);
  LOOP_WITH(if (parallel : n < 5) map(tofrom : hits)) for (int i = 0; i < n; i++) bump(&hits[i]);
  check("serial regions", 0, n);

  // Schedules that somebody chose.
  LOOP_WITH(schedule(static, 1) map(tofrom : hits)) for (int i = 0; i < n; i++) bump(&hits[i]);
  check("chunks of one", 0, n);
  LOOP_WITH(schedule(static, 3) map(tofrom : hits)) for (int i = 0; i < n; i++) bump(&hits[i]);
  check("chunks of three", 0, n);
  LOOP_WITH(dist_schedule(static, 10) map(tofrom : hits)) for (int i = 0; i < n; i++) bump(&hits[i]);
  check("shares of ten", 0, n);
  LOOP_WITH(schedule(dynamic, 2) map(tofrom : hits)) for (int i = 0; i < n; i++) bump(&hits[i]);
  check("dynamic", 0, n);

  // What happens besides.
  long sum = 0;
  LOOP_WITH(reduction(+ : sum) map(tofrom : hits)) for (int i = 0; i < n; i++) {
    bump(&hits[i]);
    sum += i;
  }
  check("sum", 0, n);
  printf("sum %ld\n", sum);
  int levels = 0;
  LOOP_WITH(map(tofrom : hits, levels)) for (int i = 0; i < n; i++) {
    bump(&hits[i]);
    int level = level_of_call();
#pragma omp atomic
    levels += level;
  }
  check("levels", 0, n);
  printf("levels %d\n", levels);
  int private_copy = 10, seen = 0;
  LOOP_WITH(firstprivate(private_copy) map(tofrom : hits, seen)) for (int i = 0; i < n; i++) {
    bump(&hits[i]);
    int old = private_copy;
    private_copy = old | 10;
    if (old != 10)
      seen = 1;
  }
  check("first value", 0, n);
  printf("seen %d\n", seen);

  // Two loops in one league, and one that is met several times.
#pragma omp target teams num_teams(5) map(tofrom : hits)
  {
#pragma omp distribute parallel for
    for (int i = 0; i < n; i++)
      bump(&hits[i]);
#pragma omp distribute parallel for
    for (int i = 777; i < MANY; i++)
      bump(&hits[i]);
  }
  check("two loops", 0, MANY);
#pragma omp target teams num_teams(5) map(tofrom : hits)
  for (int round = 0; round < 7; round++) {
#pragma omp distribute parallel for
    for (int i = 0; i < 111; i++)
      bump(&hits[i * 7 + round]);
  }
  check("seven rounds", 0, n);
}
