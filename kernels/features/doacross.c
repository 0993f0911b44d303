// Loop nests whose iterations wait for earlier ones: depend(sink) and depend(source).
#include "check.h"

enum { N = 40, M = 30 };

static long grid[N][M], want[N][M], line[4 * N];

static void clear(void) {
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < M; ++j)
      grid[i][j] = want[i][j] = 0;
}

static int wrong(void) {
  int bad = 0;
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < M; ++j)
      bad += grid[i][j] != want[i][j];
  return bad;
}

int main(void) {
  // One loop: each iteration needs the one three before it.
  for (int i = 0; i < 4 * N; ++i)
    line[i] = 1;
#pragma omp target parallel for ordered(1) num_threads(64) map(tofrom : line)
  for (int i = 3; i < 4 * N; ++i) {
#pragma omp ordered depend(sink : i - 3)
    line[i] += line[i - 3];
#pragma omp ordered depend(source)
  }
  int bad = 0;
  for (int i = 0; i < 4 * N; ++i)
    bad += line[i] != 1 + i / 3;
  CHECK("one loop", bad, 0);

  // A wave front.
  clear();
#pragma omp target parallel for ordered(2) num_threads(96) map(tofrom : grid)
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < M; ++j) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
      grid[i][j] = (i ? grid[i - 1][j] : 1) * 3 % 1009 + (j ? grid[i][j - 1] : 2) * 5 % 1013;
#pragma omp ordered depend(source)
    }
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < M; ++j)
      want[i][j] = (i ? want[i - 1][j] : 1) * 3 % 1009 + (j ? want[i][j - 1] : 2) * 5 % 1013;
  CHECK("wave front", wrong(), 0);

  // Downwards and in larger steps, with dynamic chunks.
  clear();
#pragma omp target parallel for ordered(2) schedule(dynamic, 2) num_threads(33) map(tofrom : grid)
  for (int i = N - 1; i >= 0; i -= 3)
    for (unsigned j = 1; j < M; j += 2) {
#pragma omp ordered depend(sink : i + 3, j) depend(sink : i + 3, j - 2)
      grid[i][j] = i + (i + 3 < N ? grid[i + 3][j] + (j > 2 ? grid[i + 3][j - 2] : 0) : j);
#pragma omp ordered depend(source)
    }
  for (int i = N - 1; i >= 0; i -= 3)
    for (int j = 1; j < M; j += 2)
      want[i][j] = i + (i + 3 < N ? want[i + 3][j] + (j > 2 ? want[i + 3][j - 2] : 0) : j);
  CHECK("downwards, steps 3 and 2", wrong(), 0);

  // Loops one behind the other without a barrier, of different lengths.
  clear();
#pragma omp target map(tofrom : grid)
#pragma omp parallel num_threads(64)
  for (int loop = 0; loop < N; ++loop) {
#pragma omp for ordered(1) nowait
    for (int j = 1; j < M - loop % 7; ++j) {
#pragma omp ordered depend(sink : j - 1)
      grid[loop][j] = grid[loop][j - 1] * 2 % 1009 + loop;
#pragma omp ordered depend(source)
    }
  }
  for (int loop = 0; loop < N; ++loop)
    for (int j = 1; j < M - loop % 7; ++j)
      want[loop][j] = want[loop][j - 1] * 2 % 1009 + loop;
  CHECK("loops without a barrier", wrong(), 0);

  // In several teams, and in teams of one thread.
  long sums[3] = {0, 0, 0};
#pragma omp target teams distribute num_teams(3) map(tofrom : sums)
  for (int t = 0; t < 3; ++t) {
    long cells[20];
    cells[0] = 1;
#pragma omp parallel for ordered(1) if (t != 1)
    for (int i = 1; i < 20; ++i) {
#pragma omp ordered depend(sink : i - 1)
      cells[i] = cells[i - 1] * 2 % 1009;
#pragma omp ordered depend(source)
    }
    sums[t] = cells[19];
  }
  long one = 1;
  for (int i = 1; i < 20; ++i)
    one = one * 2 % 1009;
  CHECK("in teams", (sums[0] == one) + (sums[1] == one) + (sums[2] == one), 3);

  // An iteration beyond the end of the inner loop does not exist, so nobody waits for it. The host's runtime does.
  clear();
  if (offloads()) {
#pragma omp target parallel for ordered(2) num_threads(64) map(tofrom : grid)
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < M; ++j) {
#pragma omp ordered depend(sink : i - 1, j + 1)
        grid[i][j] = i && j + 1 < M ? grid[i - 1][j + 1] + 1 : j;
#pragma omp ordered depend(source)
      }
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < M; ++j)
        want[i][j] = i && j + 1 < M ? want[i - 1][j + 1] + 1 : j;
  }
  CHECK("a sink beyond the end", wrong(), 0);
  return finish();
}
