// Atomic operations that need a compare-and-swap, on variables of the thread itself: PTX has none for local memory.
#include "check.h"

int main(void) {
  enum { N = 200 };
  int numbers[N], wrong = 0;
  double reals[N];
#pragma omp target teams distribute parallel for map(from : numbers, reals)
  for (int i = 0; i < N; ++i) {
    int x = i + 1, pair[2] = {i, 7};
    double y = i;
#pragma omp atomic
    x *= 3;
#pragma omp atomic
    x = 100 - x;
#pragma omp atomic compare
    if (x == 97) { x = 5; }
#pragma omp atomic
    pair[i & 1] *= 2;
#pragma omp atomic
    y *= 2.5;
    numbers[i] = 1000 * x + pair[1] + pair[0];
    reals[i] = y;
  }
  for (int i = 0; i < N; ++i) {
    int x = i == 0 ? 5 : 100 - 3 * (i + 1);
    wrong += numbers[i] != 1000 * x + (i & 1 ? i + 14 : 2 * i + 7) || reals[i] != i * 2.5;
  }
  CHECK("own variables", wrong, 0);
  return finish();
}
