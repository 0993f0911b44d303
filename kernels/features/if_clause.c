// if clauses: target regions on the host, parallel regions with one thread, in all their places.
#include "check.h"

enum { N = 200 };

int main(void) {
  int device = offloads(), yes = 1, no = 0, where = -1, v[N];

#pragma omp target if (no) map(from : where)
  where = omp_is_initial_device();
  CHECK("target if(0)", where, 1);
#pragma omp target if (yes) map(from : where)
  where = omp_is_initial_device();
  CHECK_THAT("target if(1)", where == !device);

  // on the host the region works on the host's memory
  for (int i = 0; i < N; ++i)
    v[i] = i;
#pragma omp target teams distribute parallel for if (target : no) map(to : v)
  for (int i = 0; i < N; ++i)
    v[i] += 1;
  CHECK("combined if(target: 0) changes the host's memory", v[N - 1], N);

  // one thread, in a region with a serial part
  int threads = 0, level = 0, active = 0, count = 0;
#pragma omp target map(from : threads, level, active) map(tofrom : count)
  {
    int shared = 5;
#pragma omp parallel if (no) num_threads(64)
    {
      threads = omp_get_num_threads();
      level = omp_get_level();
      active = omp_get_active_level();
      shared += 1;
    }
#pragma omp parallel if (yes) num_threads(64)
#pragma omp atomic
    count += 1;
    count += shared;
  }
  CHECK("parallel if(0): threads", threads, 1);
  CHECK("parallel if(0): level", level, 1);
  CHECK("parallel if(0): active level", active, 0);
  CHECK("parallel if(1)", count, 70);

  // one thread in each team
  int most = 0, sum = 0;
#pragma omp target teams distribute parallel for num_teams(4) if (parallel : no) reduction(max : most)                  \
    reduction(+ : sum)
  for (int i = 0; i < N; ++i) {
    most = omp_get_num_threads() > most ? omp_get_num_threads() : most;
    sum += i;
  }
  CHECK("combined if(parallel: 0): threads", most, 1);
  CHECK("combined if(parallel: 0): sum", sum, N * (N - 1) / 2);

  // barriers, single and loops in a team of one
  int done = 0;
#pragma omp target parallel if (parallel : no) map(tofrom : v, done)
  {
#pragma omp for
    for (int i = 0; i < N; ++i)
      v[i] = 3;
#pragma omp barrier
#pragma omp single
    done += 1;
#pragma omp masked
    done += 10;
  }
  CHECK("team of one: single and masked", done, 11);
  CHECK("team of one: loop", v[N - 1], 3);

  // a condition that only the device knows
  int serial = 0, parallel = 0;
#pragma omp target map(from : serial, parallel)
  {
    for (int round = 0; round < 2; ++round) {
      int size = 0;
#pragma omp parallel if (round == 1) num_threads(32)
      if (omp_get_thread_num() == 0)
        size = omp_get_num_threads();
      if (round == 0)
        serial = size;
      else
        parallel = size;
    }
  }
  CHECK("condition false", serial, 1);
  CHECK("condition true", parallel, 32);
  return finish();
}
