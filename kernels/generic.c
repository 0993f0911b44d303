// One team with a serial part: the shape that the compiler starts in generic mode, with a main thread that runs the
// serial code and workers that wait for parallel regions.
//
// Serial code, a parallel region of three warps, serial code that uses its result, a second `parallel for`, a local
// variable shared with the workers, and the `omp_get_*` queries at each of these places. The number of threads is
// fixed, so a host run prints the same.
#include <omp.h>
#include <stdio.h>

enum { THREADS = 96, N = 1000 };

int main(void) {
  int ids[THREADS] = {0}, squares[N] = {0};
  int serial_level = -1, serial_threads = -1, serial_id = -1, serial_in_parallel = -1;
  int level = -1, active_level = -1, in_parallel = -1, team_size = -1, ancestor = -1, teams = -1, team = -1;
  int after_level = -1, total = 0, weighted = 0, on_host = 0;

#pragma omp target map(tofrom : ids, squares) map(from : total, weighted, on_host, teams, team)                       \
    map(from : serial_level, serial_threads, serial_id, serial_in_parallel, level, active_level, in_parallel)          \
    map(from : team_size, ancestor, after_level)
  {
    on_host = omp_is_initial_device();
    serial_level = omp_get_level();
    serial_threads = omp_get_num_threads();
    serial_id = omp_get_thread_num();
    serial_in_parallel = omp_in_parallel();
    teams = omp_get_num_teams();
    team = omp_get_team_num();

    int shared_sum = 1000; // lives in the main thread's frame and is written by the workers
#pragma omp parallel num_threads(THREADS)
    {
      int id = omp_get_thread_num();
      ids[id] = id + 1;
#pragma omp atomic
      shared_sum += id;
#pragma omp barrier
      if (id == THREADS - 1) {
        level = omp_get_level();
        active_level = omp_get_active_level();
        in_parallel = omp_in_parallel();
        team_size = omp_get_num_threads();
        ancestor = omp_get_ancestor_thread_num(0);
        ids[0] += shared_sum; // every atomic of the team is visible behind the barrier
      }
    }
    after_level = omp_get_level();
    // Serial again: uses what the workers left. The sums are formed in locals, because clang 22 breaks a loop that
    // updates mapped memory when it converts the kernel to SPMD (docs/upstream.md).
    int sum = 0;
    for (int i = 0; i < THREADS; ++i)
      sum += ids[i];
    total = sum;

    int scale = sum % 7 + 1;
#pragma omp parallel for num_threads(THREADS) schedule(static)
    for (int i = 0; i < N; ++i)
      squares[i] = scale * i + shared_sum;

    int rest = 0;
    for (int i = 0; i < N; ++i)
      rest += squares[i] % 11;
    weighted = rest;
  }

  printf("serial   level %d threads %d id %d in parallel %d teams %d team %d\n", serial_level, serial_threads, serial_id,
         serial_in_parallel, teams, team);
  printf("parallel level %d active %d in parallel %d threads %d ancestor %d\n", level, active_level, in_parallel,
         team_size, ancestor);
  printf("after    level %d total %d weighted %d\n", after_level, total, weighted);
  fprintf(stderr, "ran on the %s\n", on_host ? "host" : "device");

  int shared_sum = 1000 + THREADS * (THREADS - 1) / 2;
  int want_total = THREADS * (THREADS + 1) / 2 + shared_sum, want_weighted = 0;
  for (int i = 0; i < N; ++i)
    want_weighted += ((want_total % 7 + 1) * i + shared_sum) % 11;
  int failed = serial_level != 0 || serial_threads != 1 || serial_id != 0 || serial_in_parallel != 0 || level != 1 ||
               active_level != 1 || in_parallel != 1 || team_size != THREADS || ancestor != 0 || after_level != 0 ||
               teams != 1 || team != 0 || total != want_total || weighted != want_weighted;
  puts(failed ? "FAILED" : "passed");
  return failed;
}
