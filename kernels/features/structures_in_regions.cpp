// Structures that a function takes by value and hands to a region in it, lambdas above all: clang 22 allocates memory
// for them that all threads reach, does not use it, and gives the region the address on the stack of one thread.
#include "check.h"

struct Step {
  short by;
  char twist;
};

struct Large {
  double values[9];
  int count;
};

#pragma omp begin declare target
// Changed before the region.
__attribute__((noinline)) static int add(int *values, int count, Step step) {
  step.by += 2;
  step.twist ^= 1;
#pragma omp parallel for
  for (int i = 0; i < count; ++i)
    values[i] += i * step.by + step.twist;
  return values[count - 1];
}

// Changed in the region.
static double sum(Large all) {
#pragma omp parallel for num_threads(9)
  for (int i = 0; i < 9; ++i)
    all.values[i] *= i;
  double total = 0;
  for (int i = 0; i < all.count; ++i)
    total += all.values[i];
  return total;
}

template <class F> static void each(int count, F f) {
#pragma omp parallel for
  for (int i = 0; i < count; ++i)
    f(i);
}

// Regions in regions.
template <class F> static void all_pairs(int count, F f) {
#pragma omp parallel for
  for (int i = 0; i < count; ++i)
    each(count, [=](int j) { f(i, j); });
}
#pragma omp end declare target

int main() {
  int out[32] = {}, in[32], last[2] = {};
  double totals[2] = {};
  for (int i = 0; i < 32; ++i)
    in[i] = 3 * i;
#pragma omp target map(tofrom : out, last, totals) map(to : in)
  {
    Step step{3, 6};
    last[0] = add(out, 24, step);
    last[1] = add(out, 24, step) + step.by;
    Large large{{1, 2, 3, 4, 5, 6, 7, 8, 9}, 9};
    totals[0] = sum(large);
    totals[1] = sum(large);
  }
  CHECK("a structure", last[0], 23 * 5 + 7);
  CHECK("the same again", last[1], 2 * (23 * 5 + 7) + 3);
  CHECK("a large one", totals[0], 240.0);
  CHECK("which stays as it was", totals[1], 240.0);

  int wrong = 0;
#pragma omp target map(tofrom : out) map(to : in)
  {
    int more = in[3];
    each(20, [&](int i) { out[i] += more + in[i]; });
    each(20, [&out, more](int i) { out[i] += more; });
  }
  for (int i = 0; i < 32; ++i)
    wrong += out[i] != (i < 24 ? 2 * (5 * i + 7) : 0) + (i < 20 ? 18 + in[i] : 0);
  CHECK("lambdas", wrong, 0);

  wrong = 0;
  int pairs[8][8] = {};
#pragma omp target teams distribute map(tofrom : pairs, wrong) map(to : in) num_teams(2)
  for (int k = 0; k < 2; ++k) {
    int more = in[k + 1];
    all_pairs(8, [&pairs, more](int i, int j) {
#pragma omp atomic
      pairs[i][j] += more * (10 * i + j);
    });
  }
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j)
      wrong += pairs[i][j] != 9 * (10 * i + j);
  CHECK("a lambda of a lambda", wrong, 0);
  return finish();
}
