// `thread_limit` in kernels whose main thread has a warp of its own: the limit is the workers', as many as it says.
#include "check.h"

// On the host there may be fewer.
static const int FEWER = 1000;

#pragma omp begin declare target
// Nothing that all threads may do.
static int serial(int *count) {
  *count += 1;
  return *count > 100;
}

static void threads(int *all, int *some, int *limit) {
  *limit = omp_get_thread_limit();
#pragma omp parallel
#pragma omp single
  *all = omp_get_num_threads();
#pragma omp parallel num_threads(20)
#pragma omp single
  *some = omp_get_num_threads();
}
#pragma omp end declare target

#define LIMITED(n)                                                                                                     \
  do {                                                                                                                 \
    int all = 0, some = 0, limit = 0, count = 0;                                                                       \
    PRAGMA(omp target thread_limit(n) map(tofrom : all, some, limit, count)) {                                         \
      if (serial(&count))                                                                                              \
        all = -1;                                                                                                      \
      threads(&all, &some, &limit);                                                                                    \
      count += omp_is_initial_device() ? FEWER : 0;                                                                    \
    }                                                                                                                  \
    const int fewer = count >= FEWER;                                                                                  \
    CHECK_THAT("thread_limit(" #n "): all", fewer || all == n);                                                        \
    CHECK_THAT("thread_limit(" #n "): the limit", fewer || limit == n);                                                \
    CHECK_THAT("thread_limit(" #n "): num_threads(20)", fewer || some == (n < 20 ? n : 20));                           \
  } while (0)

int main(void) {
  LIMITED(1);
  LIMITED(16);
  LIMITED(32);
  LIMITED(33);
  LIMITED(64);
  LIMITED(100);
  LIMITED(256);
  LIMITED(992);
  int counts[3] = {0, 0, 0}, sizes[3] = {0, 0, 0};
#pragma omp target teams num_teams(3) thread_limit(32) map(tofrom : counts, sizes)
  {
    const int team = omp_get_team_num();
    int one = serial(&counts[team]);
#pragma omp parallel reduction(+ : one)
    one += 1;
    sizes[team] = omp_is_initial_device() ? 32 : one;
  }
  for (int team = 0; team < 3; ++team)
    CHECK_THAT("teams of 32", counts[team] == 0 || sizes[team] == 32);
  return finish();
}
