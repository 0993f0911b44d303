// What a region inside another one writes to a variable of the outer one is there behind it. An optimiser that sees which region
// it is may take the outer region's thread for the only one that writes its variables, and its first value for the last.
#include "../features/check.h"

enum { THREADS = 64, N = 60 };

int main(void) {
  int sums[THREADS] = {0}, parts[THREADS] = {0}, lines[THREADS][4] = {{0}}, n = N;
  unsigned long largest = 84;
#pragma omp target map(tofrom : sums)
#pragma omp parallel num_threads(THREADS)
  {
    int mine = 0, me = omp_get_thread_num();
#pragma omp parallel num_threads(1)
    mine += 5 + me;
    sums[me] = mine;
  }
#pragma omp target map(tofrom : parts)
#pragma omp parallel num_threads(THREADS)
  {
    int mine = 1, me = omp_get_thread_num();
#pragma omp parallel num_threads(1)
#pragma omp critical
    mine += me;
#pragma omp parallel num_threads(1)
    {
      mine *= 3;
#pragma omp barrier
      mine += 1;
    }
    parts[me] = mine;
  }
#pragma omp target map(tofrom : lines)
#pragma omp parallel for num_threads(THREADS)
  for (int i = 0; i < THREADS; ++i) {
    int line[4] = {1, 2, 3, 4};
#pragma omp parallel for num_threads(1)
    for (int k = 0; k < 4; ++k)
      line[k] += i * k;
    for (int k = 0; k < 4; ++k)
      lines[i][k] = line[k];
  }
#pragma omp target map(tofrom : largest) map(to : n)
#pragma omp parallel for reduction(max : largest)
  for (int i = 0; i < n; ++i)
#pragma omp parallel for
    for (int k = 0; k < 10; ++k)
#pragma omp critical
      if (largest < 1000ul + i + k)
        largest = 1000ul + i + k;
  int wrong[3] = {0};
  for (int i = 0; i < THREADS; ++i) {
    wrong[0] += sums[i] != 5 + i;
    wrong[1] += parts[i] != 3 * (1 + i) + 1;
    for (int k = 0; k < 4; ++k)
      wrong[2] += lines[i][k] != k + 1 + i * k;
  }
  CHECK("threads without their sum", wrong[0], 0);
  CHECK("threads without the result of two regions", wrong[1], 0);
  CHECK("elements of arrays", wrong[2], 0);
  CHECK("maximum", largest, 1000 + N - 1 + 9);
  return finish();
}
