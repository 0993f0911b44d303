// Loops that choose an element of a local array by its address, and read through it in the next turn. LLVM's attributor takes each such
// read for one of the first element, where the loop's turns are few and stay a loop.
#include "check.h"
#include <algorithm>

enum { N = 64 };

#define LOOP _Pragma("clang loop unroll(disable)")

// The least and the greatest of four, by an index and by two addresses.
static int least(int j, int n) {
  const int a[4] = {j, n, 6, 12 - n};
  const int *best = a;
  LOOP for (int i = 1; i < 4; i++) if (a[i] < *best) best = a + i;
  return *best;
}
static int greatest(int j, int n) {
  const int a[4] = {j, n, 6, 12 - n};
  const int *best = a;
  LOOP for (const int *at = a + 1; at < a + 4; at++) if (*best < *at) best = at;
  return *best;
}

// Two choices in a turn, of which the first may be none yet.
static int last_two(int j, int n) {
  int a[5] = {j, n, 3, 9 - n, j + n}, *odd = nullptr, *large = a;
  LOOP for (int i = 0; i < 5; i++) {
    if (a[i] & 1)
      odd = a + i;
    else if (a[i] > *large)
      large = odd ? odd : a + i;
    if (odd && *odd > 20)
      *large += 1;
  }
  return 100 * *large + (odd ? *odd : -1);
}

// The same in the memory of all threads of a team.
static int wrong_in_a_team(int j) {
  int wrong = 0;
#pragma omp target map(tofrom : wrong)
  {
    int a[4] = {j, 11, 6, 12 - j}, *best = a;
    LOOP for (int i = 1; i < 4; i++) if (a[i] > *best) best = a + i;
#pragma omp parallel for reduction(+ : wrong)
    for (int n = 0; n < N; n++)
      wrong += *best != (j > 11 ? j : 12 - j > 11 ? 12 - j : 11);
  }
  return wrong;
}

int main() {
  volatile int given = 5;
  const int j = given;
  int found[4][N] = {}, wrong[4] = {};
#pragma omp target teams distribute parallel for num_teams(2) map(tofrom : found)
  for (int n = 0; n < N; n++) {
    found[0][n] = least(j, n);
    found[1][n] = greatest(j, n);
    found[2][n] = last_two(j, n);
    found[3][n] = std::max({j, n, 6});
  }
  for (int n = 0; n < N; n++) {
    wrong[0] += found[0][n] != std::min(std::min(j, n), std::min(6, 12 - n));
    wrong[1] += found[1][n] != std::max(std::max(j, n), std::max(6, 12 - n));
    wrong[2] += found[2][n] != last_two(j, n);
    wrong[3] += found[3][n] != std::max(std::max(j, n), 6);
  }
  CHECK("the least", wrong[0], 0);
  CHECK("the greatest", wrong[1], 0);
  CHECK("two choices", wrong[2], 0);
  CHECK("std::max of a list", wrong[3], 0);
  CHECK("of serial code", wrong_in_a_team(j), 0);
  return finish();
}
