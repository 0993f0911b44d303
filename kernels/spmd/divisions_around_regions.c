// Serial code in front of regions that divides: for the numbers of collapsed loops, by what may be 0, and by what only thread 0 reads.
#include "shape.h"

enum { ROWS = 6, COLUMNS = 5, DEPTH = 8, CELLS = ROWS * COLUMNS * DEPTH };

void collapsed(int *a, int rows, int columns, int depth) {
#pragma omp target teams distribute collapse(2) num_teams(4) thread_limit(64) map(tofrom : a[0 : CELLS])
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) {
#pragma omp parallel for
      for (int k = 0; k < depth; k++)
        a[(i * columns + j) * depth + k] += 100 * i + 10 * j + k;
    }
}

void by_what_may_be_0(int *a, int n, int shares) {
#pragma omp target teams num_teams(1) thread_limit(64) map(tofrom : a[0 : n])
  {
    long each = shares ? n / shares : -1;
    unsigned rest = shares ? (unsigned)n % (unsigned)shares : 99;
    for (int step = 0; step < 3; step++) {
      int turn = shares ? step % shares : step;
#pragma omp parallel for
      for (int i = 0; i < n; i++)
        a[i] += each + rest * turn;
    }
  }
}

void by_what_thread_0_reads(int *a, int n) {
#pragma omp target teams distribute num_teams(2) thread_limit(64) map(tofrom : a[0 : n])
  for (int half = 0; half < 2; half++) {
    int first = half * (n / 2), divisor = a[first] + 1;
    int quotient = n * 10 / divisor, remainder = n * 10 % divisor;
    a[first] = quotient;
#pragma omp parallel for
    for (int i = first + 1; i < first + n / 2; i++)
      a[i] = a[i] * remainder + quotient;
  }
}

int main(void) {
  int a[CELLS], b[N], c[N], d[N];
  FILL(a);
  collapsed(a, ROWS, COLUMNS, DEPTH);
  collapsed(a, ROWS, 0, DEPTH);
  SHOW(a);
  FILL(b);
  by_what_may_be_0(b, N, 7);
  SHOW(b);
  FILL(c);
  by_what_may_be_0(c, N, 0);
  SHOW(c);
  FILL(d);
  by_what_thread_0_reads(d, N);
  SHOW(d);
}
