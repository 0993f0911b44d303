// A reduction over more teams than the 1024 records of LLVM's runtime, alone and beside another kernel.
#include "../features/check.h"

int main(void) {
  const long n = 6000;
  long want = 0, wrong = 0;
  for (long i = 0; i < n; ++i)
    want += i % 13;
  for (int teams = 1000; teams <= 3400; teams += 1200) {
    long s = 0, most = 0;
#pragma omp target teams distribute parallel for num_teams(teams) thread_limit(32) reduction(+ : s) reduction(max : most)
    for (long i = 0; i < n; ++i) {
      s += i % 13;
      most = most > i ? most : i;
    }
    wrong += s != want || most != n - 1;
  }
  CHECK("wrong sums", wrong, 0);

  long s = 0, beside = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp target teams distribute parallel for num_teams(64) nowait reduction(+ : beside) map(tofrom : beside)
    for (long i = 0; i < n; ++i)
      beside += i % 7;
#pragma omp target teams distribute parallel for num_teams(2000) thread_limit(32) reduction(+ : s)
    for (long i = 0; i < n; ++i)
      s += i % 13;
#pragma omp taskwait
  }
  CHECK("beside another kernel", s, want);
  CHECK("the other kernel", beside > 0, 1);

  // A generic kernel.
  int serial = 0;
#pragma omp target teams num_teams(1500) thread_limit(64) reduction(+ : serial)
  {
    int mine = 0;
#pragma omp parallel reduction(+ : mine)
    mine += 1;
    serial += mine > 0;
  }
  CHECK_THAT("generic: each team counts", serial == 1500 || !offloads());
  return finish();
}
