// A program whose one kernel is recorded: sums of rows, found through a pointer that is itself in device memory, times a
// variable that was changed before.
#include <stdio.h>

enum { N = 64 };
struct rows {
  int *values;
  int count;
};

int scale = 1;
#pragma omp declare target(scale)

int main(void) {
  int values[N][N], sums[N];
  for (int i = 0; i < N * N; ++i)
    (&values[0][0])[i] = i;
  struct rows rows = {&values[0][0], N};
  scale = 3;
#pragma omp target update to(scale)
#pragma omp target teams distribute parallel for map(to : rows, rows.values[0 : N * N]) map(from : sums)
  for (int i = 0; i < N; ++i) {
    sums[i] = 0;
    for (int j = 0; j < rows.count; ++j)
      sums[i] += scale * rows.values[i * N + j];
  }
  printf("%d\n", sums[N - 1]);
  return sums[1] != 3 * (N * N + N * (N - 1) / 2);
}
