// Ordered regions: by all threads, in the order of the loop, whoever has the iteration.
#include "check.h"

enum { N = 150 };

static int order[N], who[N];

// Loops of N iterations of which every third has no ordered region. `position` is not atomic: the regions exclude each
// other. In the host's order the result is the same.
#define ORDERED(threads, clause)                                                                                       \
  do {                                                                                                                 \
    int position = 0, disorder = 0;                                                                                    \
    for (int i = 0; i < N; ++i)                                                                                        \
      order[i] = -1;                                                                                                   \
    PRAGMA(omp target map(tofrom : order, who, position))                                                              \
    PRAGMA(omp parallel for ordered clause num_threads(threads))                                                       \
    for (int i = 0; i < N; ++i) {                                                                                      \
      who[i] = omp_get_thread_num();                                                                                   \
      if (i % 3 != 1) {                                                                                                \
        PRAGMA(omp ordered)                                                                                            \
        order[position++] = i;                                                                                         \
      }                                                                                                                \
    }                                                                                                                  \
    int place = 0;                                                                                                     \
    for (int i = 0; i < N; ++i)                                                                                        \
      if (i % 3 != 1)                                                                                                  \
        disorder += order[place++] != i;                                                                               \
    CHECK("out of order: " #threads " threads, " #clause, disorder, 0);                                                \
    CHECK("ordered regions", position, place);                                                                         \
  } while (0)

int main(void) {
  ORDERED(96, );
  ORDERED(96, schedule(static));
  ORDERED(96, schedule(static, 1));
  ORDERED(96, schedule(static, 7));
  ORDERED(96, schedule(dynamic));
  ORDERED(96, schedule(dynamic, 5));
  ORDERED(40, schedule(monotonic : dynamic, 2));
  ORDERED(96, schedule(guided));
  ORDERED(96, schedule(guided, 3));
  ORDERED(96, schedule(auto));
  ORDERED(96, schedule(runtime));
  ORDERED(7, schedule(dynamic, 2));
  ORDERED(1, schedule(static, 2));

  // Not one thread alone: with chunks of 1 each thread has its share.
  int shares = 1;
#pragma omp target map(tofrom : who, shares)
#pragma omp parallel for ordered schedule(static, 1) num_threads(64)
  for (int i = 0; i < N; ++i) {
#pragma omp ordered
    if (omp_get_thread_num() != i % omp_get_num_threads())
      shares = 0;
  }
  CHECK("each thread has its iterations", shares, 1);

  // What an iteration needs of the one before it; two loops without a barrier; a loop that goes down; 64 bits.
  long chain[2] = {0, 0};
#pragma omp target map(tofrom : chain)
#pragma omp parallel num_threads(80)
  {
#pragma omp for ordered schedule(dynamic, 3) nowait
    for (int i = 0; i < N; ++i) {
      long term = i + 1;
#pragma omp ordered
      chain[0] = (chain[0] * 31 + term) % 1000003;
    }
#pragma omp for ordered schedule(static, 2)
    for (long i = N + (1l << 40); i > 1l << 40; --i) {
      long term = i - (1l << 40);
#pragma omp ordered
      chain[1] = (chain[1] * 31 + term) % 1000003;
    }
  }
  long want[2] = {0, 0};
  for (int i = 0; i < N; ++i) {
    want[0] = (want[0] * 31 + i + 1) % 1000003;
    want[1] = (want[1] * 31 + N - i) % 1000003;
  }
  CHECK("a chain of iterations", chain[0], want[0]);
  CHECK("a chain downwards, 64 bits", chain[1], want[1]);

  // In every team of a league.
  long teams[3] = {0, 0, 0};
#pragma omp target teams distribute num_teams(3) map(tofrom : teams)
  for (int t = 0; t < 3; ++t) {
#pragma omp parallel for ordered schedule(dynamic)
    for (int i = 0; i < 50; ++i) {
#pragma omp ordered
      teams[t] = teams[t] * 3 % 1009 + i;
    }
  }
  long one = 0;
  for (int i = 0; i < 50; ++i)
    one = one * 3 % 1009 + i;
  CHECK("in teams", (teams[0] == one) + (teams[1] == one) + (teams[2] == one), 3);
  return finish();
}
