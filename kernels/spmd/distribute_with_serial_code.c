// target teams distribute whose iterations have serial code, a condition and a loop around parallel loops.
#include "shape.h"

enum { ROWS = 11 };

void f(int *a, int n, int *done) {
#pragma omp target teams distribute num_teams(4) dist_schedule(static, 2) map(tofrom : a[0 : ROWS * n], done[0 : ROWS])
  for (int row = 0; row < ROWS; row++) {
    int *mine = a + row * n;
    int most = mine[0] % 4;
    for (int k = 0; k < most; k++) {
      mine[0] += k;
      if (mine[0] & 1) {
#pragma omp parallel for
        for (int i = 1; i < n; i++)
          mine[i] += mine[0];
      } else
        mine[1] = 0;
      done[row]++;
    }
  }
}

int main(void) {
  int a[ROWS * N], done[ROWS] = {0};
  FILL(a);
  f(a, N, done);
  SHOW(a);
  SHOW(done);
}
