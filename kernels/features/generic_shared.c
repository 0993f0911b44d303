// Regions with a serial part whose local variables are shared with the threads of parallel regions: scalars, arrays,
// structures, variables of several scopes, parallel regions in loops, branches and functions.
#include "check.h"

enum { N = 500 };

struct state {
  double sum;
  int steps[4];
};

#pragma omp begin declare target
static void scale(int *v, int n, int by) {
  int factor = by; // local of a function, shared with the region below
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    v[i] *= factor;
}

static int sum_of(const int *v, int n) {
  int sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i)
    sum += v[i];
  return sum;
}
#pragma omp end declare target

int main(void) {
  int v[N];

  // scalar and array of the main thread
  long total = 0;
#pragma omp target map(from : total) map(from : v)
  {
    int local[N], offset = 3;
    for (int i = 0; i < N; ++i)
      local[i] = i;
#pragma omp parallel for
    for (int i = 0; i < N; ++i)
      local[i] += offset;
    offset = 100; // the next region sees this
#pragma omp parallel for
    for (int i = 0; i < N; ++i)
      v[i] = local[i] + offset;
    total = 0;
    for (int i = 0; i < N; ++i)
      total += v[i];
  }
  CHECK("local array and scalar", total, 499L * 500 / 2 + 103 * 500);

  // a structure, written by threads under atomics and read serially
  double sum = 0;
  int steps = 0;
#pragma omp target map(from : sum, steps)
  {
    struct state s = {0.0, {0, 0, 0, 0}};
#pragma omp parallel for
    for (int i = 0; i < N; ++i) {
#pragma omp atomic
      s.sum += 0.5;
#pragma omp atomic
      s.steps[i % 4] += 1;
    }
    sum = s.sum;
    steps = s.steps[0] * 1000 + s.steps[3];
  }
  CHECK("shared structure", sum, 250.0);
  CHECK("shared array in a structure", steps, 125125);

  // parallel regions in a loop, each sees what the serial code in between did
  int rounds = 0;
#pragma omp target map(from : rounds) map(tofrom : v)
  {
    for (int i = 0; i < N; ++i)
      v[i] = 0;
    for (int round = 1; round <= 10; ++round) {
      int bonus = round % 2 ? 1 : 10;
#pragma omp parallel for
      for (int i = 0; i < N; ++i)
        v[i] += round + bonus;
      if (v[N - 1] > 60)
        break;
      rounds = round;
    }
  }
  // 2, 14, 18, 32, 38, 54, 62
  CHECK("parallel region in a loop with break: rounds", rounds, 6);
  CHECK("parallel region in a loop with break: value", v[0], 62);

  // functions that hold parallel regions, called one after the other
  int first = 0, second = 0;
#pragma omp target map(tofrom : v) map(from : first, second)
  {
    for (int i = 0; i < N; ++i)
      v[i] = 1;
    scale(v, N, 3);
    first = sum_of(v, N);
    if (first == 3 * N)
      scale(v, N / 2, 2);
    else
      scale(v, N, 100);
    second = sum_of(v, N);
  }
  CHECK("function with parallel region", first, 1500);
  CHECK("called again in a branch", second, 2250);

  // many shared variables
  long many = 0;
#pragma omp target map(from : many)
  {
    int a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8;
    long i = 9, j = 10, k = 11, l = 12;
    double m = 13, n = 14, o = 15, p = 16;
    char q = 17, r = 18;
    long result = 0;
#pragma omp parallel reduction(+ : result) num_threads(64)
    {
      if (omp_get_thread_num() == 0)
        result += a + b + c + d + e + f + g + h + i + j + k + l + (long)(m + n + o + p) + q + r;
    }
#pragma omp parallel num_threads(64)
    {
      if (omp_get_thread_num() == 0) {
        a = b = c = d = e = f = g = h = 2;
        i = j = k = l = 3;
        m = n = o = p = 4;
        q = r = 5;
      }
    }
    many = result * 1000 + a + b + c + d + e + f + g + h + i + j + k + l + (long)(m + n + o + p) + q + r;
  }
  CHECK("eighteen shared variables, read and written", many, 171 * 1000 + 54);

  // several teams, each with a local of its own
  int per_team[8] = {0}, teams = 0;
#pragma omp target teams num_teams(8) thread_limit(64) map(tofrom : per_team) map(from : teams)
  {
    int mine = omp_get_team_num() * 1000;
#pragma omp parallel for
    for (int i = 0; i < 100; ++i) {
#pragma omp atomic
      mine += 1;
    }
    per_team[omp_get_team_num()] = mine;
    if (omp_get_team_num() == 0)
      teams = omp_get_num_teams();
  }
  int wrong = 0;
  for (int t = 0; t < teams; ++t)
    wrong += per_team[t] != t * 1000 + 100;
  CHECK("a local of each team", wrong, 0);
  return finish();
}
