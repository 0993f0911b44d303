// Code that chooses an element of a local array by its address, among addresses that were chosen before, and reads through it. LLVM's
// attributor takes many such reads for reads of the first element.
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

// A program of a small machine: a way of the loop goes on by two, another one goes back.
static int machine(int j, int n) {
  const int program[] = {1, n + 1, 2, 2, 3, 10 * j, 0}, *at = program;
  int result = 0;
  for (int turns = 0; turns < 100; turns++)
    switch (*at) {
    case 1:
      result += at[1];
      at += 2;
      break;
    case 2:
      result *= at[1];
      at += 2;
      break;
    case 3:
      at = result < at[1] ? program : at + 2;
      break;
    default:
      return result;
    }
  return -1;
}

// Without a loop: what the first branch chose is one of the choices of the next.
[[gnu::noinline]] static int branches(int j, int n, int *a) {
  int *p = a + 6, *q = a + 1;
  unsigned sum = n;
  for (int i = 0; i < 8; i++)
    a[i] = n + i * j;
#pragma clang loop unroll(full)
  for (int k = 1; k < 4; k++)
    switch (sum & 3) {
    case 0:
      sum += *p * 2;
      break;
    case 1:
      q = &a[(n + k) % 8];
      break;
    case 2:
      sum = sum * 3 + 5;
      [[fallthrough]];
    default:
      p = a + 4;
    }
  return sum * 7 + *p + *q * 3;
}

// A place that a loop finds, or the one behind its end.
static int search(int j, int n) {
  const int a[6] = {j, n, 6, 12 - n, 3, -1}, *at = a;
  LOOP for (; at < a + 5; at++) if (*at % 7 == n % 7) break;
  return *at;
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
  int found[6][N] = {}, wrong[7] = {}, of_teams[N];
#pragma omp target teams distribute parallel for num_teams(2) map(tofrom : found)
  for (int n = 0; n < N; n++) {
    found[0][n] = least(j, n);
    found[1][n] = greatest(j, n);
    found[2][n] = last_two(j, n);
    found[3][n] = std::max({j, n, 6});
    found[4][n] = machine(j, n);
    found[5][n] = search(j, n);
  }
#pragma omp target teams distribute num_teams(3) map(from : of_teams)
  for (int n = 0; n < N; n++) {
    int a[8];
    of_teams[n] = branches(j, n, a);
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < 1; i++)
      of_teams[n] += j;
  }
  for (int n = 0; n < N; n++) {
    wrong[0] += found[0][n] != std::min(std::min(j, n), std::min(6, 12 - n));
    wrong[1] += found[1][n] != std::max(std::max(j, n), std::max(6, 12 - n));
    wrong[2] += found[2][n] != last_two(j, n);
    wrong[3] += found[3][n] != std::max(std::max(j, n), 6);
    int a[8];
    wrong[4] += found[4][n] != machine(j, n);
    wrong[5] += found[5][n] != search(j, n);
    wrong[6] += of_teams[n] != branches(j, n, a) + j;
  }
  CHECK("the least", wrong[0], 0);
  CHECK("the greatest", wrong[1], 0);
  CHECK("two choices", wrong[2], 0);
  CHECK("std::max of a list", wrong[3], 0);
  CHECK("a machine", wrong[4], 0);
  CHECK("a search", wrong[5], 0);
  CHECK("branches", wrong[6], 0);
  CHECK("of serial code", wrong_in_a_team(j), 0);
  return finish();
}
