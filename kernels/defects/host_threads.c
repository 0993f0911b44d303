// Several target regions at once, started by several threads of the host, each with state, locks and reductions.
#include "../features/check.h"

enum { CALLERS = 6, ROUNDS = 3, N = 300 };

int main(void) {
  int wrong = 0;
#pragma omp parallel for num_threads(CALLERS) reduction(+ : wrong) schedule(static, 1)
  for (int caller = 0; caller < CALLERS; ++caller)
    for (int round = 0; round < ROUNDS; ++round) {
      int data[N], sum = 0, size = 0, counted = 0;
      for (int k = 0; k < N; ++k)
        data[k] = k * caller + round;
#pragma omp target teams distribute parallel for num_teams(3) thread_limit(64) reduction(+ : sum) map(tofrom : data)
      for (int k = 0; k < N; ++k) {
        data[k] += 1;
        sum += data[k];
      }
#pragma omp target map(tofrom : size, counted)
      {
        int threads = 32 * (1 + caller % 4);
#pragma omp parallel num_threads(threads)
        {
#pragma omp single
          size = omp_get_num_threads();
#pragma omp critical
          counted += 1;
        }
      }
      wrong += sum != N * (N - 1) / 2 * caller + N * (round + 1);
      wrong += size != counted;
    }
  CHECK("wrong results", wrong, 0);
  return finish();
}
