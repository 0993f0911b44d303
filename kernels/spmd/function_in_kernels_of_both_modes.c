// A function with a parallel loop is called from serial code, from threads of a combined construct and from teams.
#include "shape.h"
#include <omp.h>

#pragma omp begin declare target
static int __attribute__((noinline)) add(int *a, int n, int by) {
  int changed = 0;
#pragma omp parallel for reduction(+ : changed)
  for (int i = 0; i < n; i++) {
    a[i] += by;
    changed++;
  }
  return changed;
}
#pragma omp end declare target

void f(int *a, int n) {
#pragma omp target map(tofrom : a[0 : n])
  {
    int changed = add(a, n / 2, 1);
    a[0] += changed;
    changed = add(a + n / 2, n / 2, changed);
    a[1] += changed;
  }
#pragma omp target teams distribute parallel for num_teams(2) thread_limit(32) map(tofrom : a[0 : n])
  for (int i = 0; i < n; i += 4)
    a[i] += add(a + i, 4, 5);
#pragma omp target teams num_teams(4) map(tofrom : a[0 : n])
  for (int team = omp_get_team_num(); team < 4; team += omp_get_num_teams()) {
    int *mine = a + team * (n / 4);
    mine[0] += add(mine, n / 4, team);
  }
}

int main(void) {
  int a[N];
  FILL(a);
  f(a, N);
  SHOW(a);
}
