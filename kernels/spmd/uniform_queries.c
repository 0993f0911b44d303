// Queries in the serial part that have one answer for a team, but that the runtime answers: teams, device, limits.
#include "shape.h"
#include <omp.h>

enum { TEAMS = 3 };

void f(int *a, int n) {
#pragma omp target teams num_teams(TEAMS) map(tofrom : a[0 : TEAMS * n])
  for (int team = omp_get_team_num(); team < TEAMS; team += omp_get_num_teams()) {
    int *mine = a + team * n;
    int same = omp_is_initial_device() == omp_is_initial_device() && omp_get_device_num() == omp_get_device_num();
    mine[0] = same;
    mine[1] = omp_get_thread_limit() > 0 && omp_get_max_active_levels() > 0 && omp_get_num_procs() > 0;
    if (omp_get_num_teams() > omp_get_team_num()) {
#pragma omp parallel for
      for (int i = 2; i < n; i++)
        mine[i] += omp_get_team_num() % omp_get_num_teams() - team % omp_get_num_teams() + mine[0];
    }
    mine[1] += omp_get_team_size(0) + omp_get_ancestor_thread_num(0) + omp_get_active_level();
  }
}

int main(void) {
  int a[TEAMS * N];
  FILL(a);
  f(a, N);
  SHOW(a);
}
