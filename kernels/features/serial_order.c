// Barriers and flushes in serial code in front of parallel regions: there they concern one thread, but a barrier ends
// the tasks that wait for others, and a flush orders memory for the threads of other teams.
#include "check.h"

enum { TEAMS = 16 };

static void tasks(void) {
  int first = 0, second = 0, seen = 0, sum = 0;
#pragma omp target map(tofrom : first, second, seen, sum)
  {
    omp_event_handle_t event;
#pragma omp task depend(out : first) detach(event) shared(first)
    first += 1;
#pragma omp task depend(in : first) shared(first, second)
    second = first + 1;
    omp_fulfill_event(event);
#pragma omp barrier
    seen = second;
#pragma omp parallel num_threads(64) reduction(+ : sum)
    sum += seen;
  }
  CHECK("tasks are done behind a barrier", seen, 2);
  CHECK_THAT("all threads see it", sum > 0 && sum % 2 == 0);
}

// The last team adds up what all have stored.
static void teams(void) {
  int parts[TEAMS] = {0}, done = 0, total = 0, after[TEAMS] = {0};
#pragma omp target teams distribute num_teams(TEAMS) thread_limit(32) map(tofrom : parts, done, total, after)
  for (int team = 0; team < TEAMS; ++team) {
    parts[team] = team + 1;
    int before;
#pragma omp flush
#pragma omp atomic capture
    before = done++;
#pragma omp flush
    if (before == TEAMS - 1)
      for (int i = 0; i < TEAMS; ++i)
        total += parts[i];
#pragma omp parallel for
    for (int i = 0; i < 8; ++i)
#pragma omp atomic
      after[team] += 1;
  }
  CHECK("sum of the last team", total, TEAMS * (TEAMS + 1) / 2);
  CHECK("a region behind it", after[TEAMS - 1], 8);
}

int main(void) {
  tasks();
  teams();
  return finish();
}
