// Tasks: untied ones with dependences run once and are freed once; siblings wait for what they depend on; data of a task
// is its own; taskwait waits.
#include "../features/check.h"

enum { N = 24, THREADS = 64 };

int main(void) {
  int order = 1, runs = 0, sums[THREADS] = {0}, sizes = 0;
#pragma omp target map(tofrom : order, runs)
#pragma omp parallel num_threads(THREADS) shared(order, runs)
#pragma omp single
  {
    for (int k = 1; k <= N; ++k) {
#pragma omp task untied depend(inout : order) firstprivate(k)
      {
        order = order * 31 + k;
#pragma omp atomic
        runs += 1;
      }
    }
#pragma omp taskwait
    order += 1;
  }
  int want = 1;
  for (int k = 1; k <= N; ++k)
    want = (int)((unsigned)want * 31u + (unsigned)k);
  CHECK("untied tasks: runs", runs, N);
  CHECK("untied tasks: order", order, want + 1);

#pragma omp target map(tofrom : sums, sizes)
#pragma omp parallel num_threads(THREADS)
  {
    int me = omp_get_thread_num(), sum = 0;
    for (int k = 0; k < 4; ++k) {
#pragma omp task shared(sum) firstprivate(k) untied
      {
        int own = k + me;
#pragma omp critical
        sum += own;
        k = -1000;
      }
    }
#pragma omp taskwait
    sums[me] = sum;
#pragma omp single
    sizes = omp_get_num_threads();
  }
  int wrong = 0;
  for (int k = 0; k < sizes; ++k)
    wrong += sums[k] != 4 * k + 6;
  CHECK("taskwait: sums of other tasks", wrong, 0);

  // Regions in tasks of serial code share variables that clang leaves on the stack of the task's thread.
  int seen = 0, times = 0;
#pragma omp target map(tofrom : seen, times)
  {
    for (int k = 1; k <= 3; ++k) {
#pragma omp task shared(seen, times) firstprivate(k)
      {
        int own = 10 * k;
#pragma omp parallel num_threads(THREADS)
        {
#pragma omp atomic
          seen += own + k;
#pragma omp single
          times += own;
        }
      }
    }
#pragma omp taskwait
  }
  CHECK_THAT("a region in a task: sum", seen >= 66 && seen % 11 == 0);
  CHECK("a region in a task: runs", times, 60);
  return finish();
}
