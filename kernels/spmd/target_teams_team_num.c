// target teams whose serial part depends on omp_get_team_num and stores once per team.
#include "shape.h"
#include <omp.h>

void f(int *a, int n) {
#pragma omp target teams map(tofrom : a[0 : 8 + 8 * n]) num_teams(8)
  for (int t = omp_get_team_num(); t < 8; t += omp_get_num_teams()) {
    int loc = t * 3;
    a[t] = loc;
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      a[8 + t * n + i] = loc + i;
    a[t] += 1;
  }
}

int main(void) {
  int a[8 + 8 * N] = {0};
  f(a, N);
  SHOW(a);
}
