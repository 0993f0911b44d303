// Reductions in other places and of other things: arrays, structures with declare reduction, teams without threads,
// threads without a loop, a loop in a region, sections, several launches of one kernel.
#include "check.h"

enum { N = 2000, BINS = 8 };

struct extremes {
  int least, most;
  long count;
};
#pragma omp begin declare target
static void merge(struct extremes *into, const struct extremes *from) {
  into->least = from->least < into->least ? from->least : into->least;
  into->most = from->most > into->most ? from->most : into->most;
  into->count += from->count;
}
static int value(int i) { return (i * 7919) % 1009; }
#pragma omp end declare target
#pragma omp declare reduction(extremes : struct extremes : merge(&omp_out, &omp_in))                                   \
    initializer(omp_priv = (struct extremes){1 << 30, -(1 << 30), 0})

int main(void) {
  // an array
  int bins[BINS] = {100, 200, 300, 400, 500, 600, 700, 800}, want[BINS];
  for (int b = 0; b < BINS; ++b)
    want[b] = bins[b];
  for (int i = 0; i < N; ++i)
    want[value(i) % BINS] += 1;
#pragma omp target teams distribute parallel for reduction(+ : bins)
  for (int i = 0; i < N; ++i)
    bins[value(i) % BINS] += 1;
  for (int b = 0; b < BINS; ++b)
    CHECK("array element", bins[b], want[b]);

  // a section of an array behind a pointer
  double section[6] = {1, 2, 3, 4, 5, 6}, *p = section;
#pragma omp target teams distribute parallel for reduction(+ : p[2 : 3])
  for (int i = 0; i < N; ++i)
    p[2 + i % 3] += 0.5;
  CHECK("array section", section[2], 3 + 667 * 0.5);
  CHECK("array section: last", section[4], 5 + 666 * 0.5);
  CHECK("beside the section", section[1] * 10 + section[5], 26.0);

  // a structure with its own operation
  struct extremes e = {500, 501, 7};
#pragma omp target teams distribute parallel for map(tofrom : e) reduction(extremes : e)
  for (int i = 0; i < N; ++i) {
    struct extremes one = {value(i), value(i), 1};
    merge(&e, &one);
  }
  int least = 500, most = 501;
  for (int i = 0; i < N; ++i) {
    least = value(i) < least ? value(i) : least;
    most = value(i) > most ? value(i) : most;
  }
  CHECK("structure: least", e.least, least);
  CHECK("structure: most", e.most, most);
  CHECK("structure: count", e.count, N + 7);

  // over teams only
  long over_teams = 5;
#pragma omp target teams distribute reduction(+ : over_teams)
  for (int i = 0; i < N; ++i)
    over_teams += i;
  CHECK("teams distribute", over_teams, 5 + (long)N * (N - 1) / 2);

  // over teams, with a loop of the threads inside
  double matrix = 0;
#pragma omp target teams distribute reduction(+ : matrix)
  for (int i = 0; i < 50; ++i) {
    double row = 0;
#pragma omp parallel for reduction(+ : row)
    for (int j = 0; j < 40; ++j)
      row += i * j;
    matrix += row;
  }
  CHECK("row in a team, sum over teams", matrix, 49 * 50 / 2 * (39 * 40 / 2.0));

  // over teams, with loops inside that reduce into the same variable
  int both = 3;
#pragma omp target teams distribute reduction(+ : both) num_teams(4)
  for (int i = 0; i < 50; ++i) {
#pragma omp parallel for reduction(+ : both) num_threads(16)
    for (int j = 0; j < 40; ++j)
      both += i * j;
  }
  CHECK("in a team and over teams", both, 3 + 49 * 50 / 2 * (39 * 40 / 2));

  // threads without a loop
  int threads = 0, sum_of_ids = 0;
#pragma omp target parallel num_threads(96) reduction(+ : threads, sum_of_ids)
  {
    threads += 1;
    sum_of_ids += omp_get_thread_num();
  }
  CHECK_THAT("parallel: each thread once", threads >= 1 && sum_of_ids == threads * (threads - 1) / 2);

  // a loop and sections inside a region, the result used by all behind the barrier
  int loop = 0, agree = 0, members = 0, parts = 0;
#pragma omp target map(from : loop, parts) map(tofrom : agree, members)
  {
    loop = 0, parts = 0;
#pragma omp parallel num_threads(64)
    {
#pragma omp for reduction(+ : loop)
      for (int i = 0; i < N; ++i)
        loop += i % 3;
#pragma omp atomic
      agree += loop == N - 1;
#pragma omp atomic
      members += 1;
#pragma omp sections reduction(+ : parts)
      {
#pragma omp section
        parts += 1;
#pragma omp section
        parts += 20;
#pragma omp section
        parts += 300;
      }
    }
  }
  CHECK("loop in a region", loop, N - 1);
  CHECK("loop in a region: every thread sees the result", agree, members);
  CHECK("sections", parts, 321);

  // one kernel again and again: nothing is left over from the launch before
  int repeated = 0, expected = 0;
  for (int round = 1; round <= 20; ++round) {
    int once = 0;
#pragma omp target teams distribute parallel for reduction(+ : once)
    for (int i = 0; i < 37 * round; ++i)
      once += round;
    repeated += once;
    expected += 37 * round * round;
  }
  CHECK("twenty launches", repeated, expected);

  // no iteration at all
  int none = 42, zero = 0;
#pragma omp target teams distribute parallel for reduction(+ : none)
  for (int i = 0; i < zero; ++i)
    none += 1;
  CHECK("empty loop", none, 42);
  return finish();
}
