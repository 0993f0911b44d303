// Atomic operations on variables of a thread that its tasks, inner regions and functions get by their address: GPUs have none for the
// stack. A program may do so all the same, as it does not know where variables are.
#include "check.h"

enum { THREADS = 8 };

#pragma omp begin declare target
static __attribute__((noinline)) void add(int *place, int value) {
#pragma omp atomic
  *place += value;
}
static __attribute__((noinline)) double times(double *place, double value) {
  double before;
#pragma omp atomic capture
  {
    before = *place;
    *place *= value;
  }
  return before;
}
static __attribute__((noinline)) int exchange(int *place, int value) {
  int before;
#pragma omp atomic capture
  {
    before = *place;
    *place = value;
  }
  return before;
}
#pragma omp end declare target

int main(void) {
  int count = 0, wrong = 0, many[THREADS] = {0};
#pragma omp target map(tofrom : count, wrong, many)
#pragma omp parallel num_threads(THREADS)
  {
    int mine = 0, inner = 0, me = omp_get_thread_num();
    double product = 1;
    for (int i = 1; i <= 3; ++i)
#pragma omp task shared(count, mine, product) firstprivate(i)
    {
#pragma omp atomic
      count += 1;
#pragma omp atomic
      mine += i;
#pragma omp atomic
      product *= i;
    }
#pragma omp taskwait
#pragma omp parallel
#pragma omp atomic
    inner |= 8;
    add(&mine, 100);
    add(&count, 1);
    add(&many[me], me + 1);
    int place = 5;
    if (mine != 106 || product != 6 || inner != 8 || times(&product, 2) != 6 || product != 12 || exchange(&place, 9) != 5 ||
        place != 9)
#pragma omp atomic
      wrong += 1;
  }
  CHECK("own variables", wrong, 0);
  int sum = 0;
  for (int i = 0; i < THREADS; ++i)
    sum += many[i];
  CHECK("shared variables", 100 * sum + count, 100 * THREADS * (THREADS + 1) / 2 + 4 * THREADS);
  return finish();
}
