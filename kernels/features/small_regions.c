// Kernels whose regions ask for fewer threads than teams have by default: teams are as large as the largest region needs, unless the
// program could notice.
#include "check.h"

enum { TEAMS = 6, THREADS = 40, MORE = 64 };

static long in[TEAMS * MORE], out[TEAMS * MORE];

// Two regions, the larger of which is of whole warps, around a barrier.
static void two_sizes(void) {
#pragma omp target teams num_teams(TEAMS) map(to : in) map(from : out)
  {
    long tile[MORE], next[MORE];
    for (int team = omp_get_team_num(); team < TEAMS; team += omp_get_num_teams()) {
#pragma omp parallel num_threads(THREADS)
      for (int i = omp_get_thread_num(); i < MORE; i += omp_get_num_threads())
        tile[i] = in[team * MORE + i];
#pragma omp parallel num_threads(MORE)
      {
        for (int i = omp_get_thread_num(); i < MORE; i += omp_get_num_threads())
          next[i] = tile[(i + 1) % MORE];
#pragma omp barrier
        for (int i = omp_get_thread_num(); i < MORE; i += omp_get_num_threads())
          out[team * MORE + i] = next[MORE - 1 - i] - in[team * MORE + MORE - 1 - i];
      }
    }
  }
}

// As many as a loop asks for, with a sum.
static long one_size(void) {
  long sum = 0;
#pragma omp target teams distribute reduction(+ : sum) map(to : out)
  for (int team = 0; team < TEAMS; ++team) {
    long part = 0;
#pragma omp parallel for num_threads(THREADS) reduction(+ : part)
    for (int i = 0; i < MORE; ++i)
      part += out[team * MORE + i];
    sum += part;
  }
  return sum;
}

// Asks how many there could be.
static int asks(void) {
  int most = 0;
#pragma omp target teams num_teams(1) map(from : most)
  {
    int start = omp_get_num_teams() - 1;
#pragma omp parallel num_threads(THREADS) shared(start)
    {
#pragma omp masked
      most = start + omp_get_max_threads();
    }
  }
  return most;
}

int main(void) {
  for (int i = 0; i < TEAMS * MORE; ++i)
    in[i] = (long)i * i;
  two_sizes();
  long sum = one_size(), host = 0;
  for (int i = 0; i < TEAMS * MORE; ++i)
    host += out[i];
  CHECK("sum of the device", sum, host);
  CHECK("sum", sum, 0);
  CHECK("first", out[0], in[0] - in[MORE - 1]);
  CHECK("last", out[TEAMS * MORE - 1], in[(TEAMS - 1) * MORE + 1] - in[(TEAMS - 1) * MORE]);
  CHECK_THAT("a team could have threads", asks() > 0);
  return finish();
}
