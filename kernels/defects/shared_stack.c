// Variables that regions share lie in a stack that serves wide teams, and are right where it overflows.
#include "../features/check.h"

enum { TEAMS = 2, LIMIT = 96, ROUNDS = 6, BIG = 300, DEEP = 6 };

#pragma omp begin declare target
// Each thread shares a variable with a region of its own.
__attribute__((noinline)) static int twice(int x) {
  int box[4] = {x, 0, 0, 0};
#pragma omp parallel num_threads(1) shared(box)
  box[1] = box[0] * 2;
  return box[1];
}

// More than any team has of shared memory: 1200 bytes a call.
__attribute__((noinline)) static int large(int x) {
  int box[BIG];
  for (int k = 0; k < BIG; ++k)
    box[k] = x + k;
#pragma omp parallel num_threads(1) shared(box)
  for (int k = 1; k < BIG; ++k)
    box[0] += box[k] - x;
  return box[0];
}

// Frames of many calls at once.
__attribute__((noinline)) static int nested(int depth, int x) {
  int box[8] = {x, depth};
#pragma omp parallel num_threads(1) shared(box)
  box[2] = box[0] + box[1];
  return depth == 0 ? box[2] : box[2] + nested(depth - 1, x) - box[0] + (box[1] == depth ? 0 : 1000000);
}
#pragma omp end declare target

static int out[TEAMS][LIMIT], sizes[TEAMS], bigs[TEAMS][LIMIT], deeps[TEAMS][LIMIT];

int main(void) {
#pragma omp target teams num_teams(TEAMS) thread_limit(LIMIT) map(tofrom : out, sizes, bigs, deeps)
#pragma omp parallel
  {
    int me = omp_get_thread_num(), team = omp_get_team_num(), s = 0;
    for (int r = 0; r < ROUNDS; ++r)
      s += twice(me + 1);
    out[team][me] = s;
    bigs[team][me] = large(me);
    deeps[team][me] = nested(DEEP, me);
    if (me == 0)
      sizes[team] = omp_get_num_threads();
  }
  int wrong[3] = {0};
  for (int t = 0; t < TEAMS; ++t)
    for (int k = 0; k < sizes[t]; ++k) {
      wrong[0] += out[t][k] != ROUNDS * 2 * (k + 1);
      wrong[1] += bigs[t][k] != k + BIG * (BIG - 1) / 2;
      wrong[2] += deeps[t][k] != k + DEEP * (DEEP + 1) / 2;
    }
  CHECK("small variables of each thread", wrong[0], 0);
  CHECK("variables larger than shared memory", wrong[1], 0);
  CHECK("variables of nested calls", wrong[2], 0);

  // The main thread's variables, one larger than the stack.
  int bad = 0;
#pragma omp target map(tofrom : bad)
  {
    int few[3] = {1, 2, 3}, many[5000];
    for (int k = 0; k < 5000; ++k)
      many[k] = k;
#pragma omp parallel num_threads(64)
    {
      int me = omp_get_thread_num();
      if (few[me % 3] != me % 3 + 1 || many[me * 70] != me * 70)
#pragma omp atomic
        bad += 1;
    }
  }
  CHECK("variables of the main thread", bad, 0);
  return finish();
}
