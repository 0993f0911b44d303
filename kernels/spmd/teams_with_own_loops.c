// Several teams, each with serial code, a loop of its own length and a break around parallel loops.
#include "shape.h"
#include <omp.h>

enum { TEAMS = 5 };

void f(int *a, int n) {
#pragma omp target teams num_teams(TEAMS) thread_limit(64) map(tofrom : a[0 : TEAMS * n])
  for (int team = omp_get_team_num(); team < TEAMS; team += omp_get_num_teams()) {
    int *mine = a + team * n;
    int rounds = 0, sum = 0;
    while (mine[0] < 40) {
      mine[0] += team + 7;
#pragma omp parallel for reduction(+ : sum)
      for (int i = 1; i < n; i++) {
        mine[i] += mine[0];
        sum += mine[i] & 1;
      }
      if (sum > 90)
        break;
      rounds++;
    }
    mine[1] = rounds;
    mine[2] = sum;
  }
}

int main(void) {
  int a[TEAMS * N];
  FILL(a);
  f(a, N);
  SHOW(a);
}
