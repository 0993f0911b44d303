// nowait, depend and taskwait on device constructs, and target regions of several host threads at a time.
#include "check.h"

enum { N = 300, CHAINS = 4, HOST_THREADS = 4 };

int main(void) {
  // a chain: each region needs the one before
  int v[N];
  for (int i = 0; i < N; ++i)
    v[i] = i;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp target nowait depend(inout : v) map(tofrom : v)
    for (int i = 0; i < N; ++i)
      v[i] += 1;
#pragma omp target teams distribute parallel for nowait depend(inout : v) map(tofrom : v)
    for (int i = 0; i < N; ++i)
      v[i] *= 2;
#pragma omp task depend(inout : v) shared(v)
    for (int i = 0; i < N; ++i)
      v[i] += 100;
#pragma omp target nowait depend(inout : v) map(tofrom : v)
    for (int i = 0; i < N; ++i)
      v[i] -= i;
#pragma omp taskwait
  }
  CHECK("chain: first", v[0], 102);
  CHECK("chain: last", v[N - 1], (N - 1 + 1) * 2 + 100 - (N - 1));

  // independent regions, one wait
  int w[CHAINS][N], sums[CHAINS];
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    for (int c = 0; c < CHAINS; ++c) {
      int *row = w[c], *sum = &sums[c];
#pragma omp target nowait map(from : row[0 : N], sum[0 : 1]) firstprivate(c)
      {
        int total = 0;
        for (int i = 0; i < N; ++i) {
          row[i] = c * i;
          total += row[i];
        }
        *sum = total;
      }
    }
#pragma omp taskwait
  }
  for (int c = 0; c < CHAINS; ++c)
    CHECK("independent regions", sums[c], c * N * (N - 1) / 2);

  // data constructs with nowait
  int x[N];
  for (int i = 0; i < N; ++i)
    x[i] = 1;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp target enter data map(to : x) nowait depend(out : x)
#pragma omp target nowait depend(inout : x)
    for (int i = 0; i < N; ++i)
      x[i] += 6;
#pragma omp target update from(x[0 : N / 2]) nowait depend(inout : x)
#pragma omp target exit data map(from : x) nowait depend(inout : x)
#pragma omp taskwait
  }
  CHECK("enter, region, update, exit", x[0] * 10 + x[N - 1], 77);

  // host threads, each with regions and data of its own, and data that they share
  int table[N], total[HOST_THREADS] = {0}, members = 0;
  for (int i = 0; i < N; ++i)
    table[i] = i;
#pragma omp target data map(to : table)
#pragma omp parallel num_threads(HOST_THREADS)
  {
    int me = omp_get_thread_num();
#pragma omp atomic
    members += 1;
    for (int round = 0; round < 10; ++round) {
      int mine[N], sum = 0;
#pragma omp target teams distribute parallel for map(from : mine) reduction(+ : sum)
      for (int i = 0; i < N; ++i) {
        mine[i] = table[i] + me;
        sum += mine[i];
      }
      total[me] += sum == N * (N - 1) / 2 + N * me && mine[N - 1] == N - 1 + me;
    }
  }
  int good = 0;
  for (int t = 0; t < HOST_THREADS; ++t)
    good += total[t];
  CHECK_THAT("host threads", good == 10 * members);
  return finish();
}
