// Breadth-first search in one target region: the result of a parallel reduction decides whether there is another
// round.
#include "shape.h"

void f(int *level, int n) {
#pragma omp target map(tofrom : level[0 : n])
  {
    int found = 1;
    for (int round = 0; found; round++) {
      found = 0;
#pragma omp parallel for reduction(+ : found)
      for (int i = 0; i < n; i++) {
        int from[3] = {(i + n - 1) % n, i / 2, (i * 3 + 1) % n};
        int near = 0;
        for (int k = 0; k < 3; k++) {
          int there;
#pragma omp atomic read
          there = level[from[k]];
          near |= there == round;
        }
        if (level[i] < 0 && near) {
#pragma omp atomic write
          level[i] = round + 1;
          found += 1;
        }
      }
    }
  }
}

int main(void) {
  int level[4 * N];
  for (int i = 0; i < 4 * N; i++)
    level[i] = i == 5 ? 0 : -1;
  f(level, 4 * N);
  SHOW(level);
}
