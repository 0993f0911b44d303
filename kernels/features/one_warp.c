// A generic kernel whose blocks the program bounds to one warp: there is no worker, and the main thread runs every region and
// those inside, with as many arguments as shared memory holds and with more.
#include "check.h"

#pragma omp begin declare target
static int wrong_at(int level, int inner) {
  int size = omp_get_num_threads(), me = omp_get_thread_num();
  return (omp_get_level() != level) + (me < 0 || me >= size) + (omp_get_team_size(level) != size) +
         (omp_get_ancestor_thread_num(level) != me) + (inner && omp_get_team_size(1) < 1);
}

// Regions in a region of which the compiler does not know that it is one.
__attribute__((noinline)) static void inside(int *wrong, int *sum, int first, int second) {
#pragma omp parallel num_threads(4)
  {
    int bad = wrong_at(2, 1);
#pragma omp atomic
    *wrong += bad;
#pragma omp for
    for (int i = 0; i < 10; ++i) {
#pragma omp atomic
      *sum += first + second;
    }
#pragma omp parallel
    {
      int deep = wrong_at(3, 1);
#pragma omp atomic
      *wrong += deep;
    }
    bad = wrong_at(2, 1);
#pragma omp atomic
    *wrong += bad;
  }
}
#pragma omp end declare target

int main(void) {
  int wrong = 0, sum = 0, many = 0, behind = -1, serial = 0;
#pragma omp target map(tofrom : wrong, sum, many, behind, serial) ompx_attribute(__attribute__((launch_bounds(32))))
  {
    int a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8, i = 9, j = 10, k = 11, l = 12, m = 13, n = 14, o = 15;
#pragma omp parallel num_threads(1)
    {
      int bad = wrong_at(1, 0);
#pragma omp atomic
      wrong += bad;
      inside(&wrong, &sum, a, b);
      bad = wrong_at(1, 0);
#pragma omp atomic
      wrong += bad;
#pragma omp parallel num_threads(1)
      {
        int inner = a + b + c + d + e + f + g + h + i + j + k + l + m + n + o;
        many += inner + wrong_at(2, 1);
      }
      many += a + b + c + d + e + f + g + h + i + j + k + l + m + n + o;
    }
    serial = omp_get_level() + omp_get_num_threads();
#pragma omp parallel num_threads(1)
    behind = omp_get_level();
  }
  CHECK("wrong answers", wrong, 0);
  CHECK("the loop of a region inside", sum, 30);
  CHECK("many arguments", many, 240);
  CHECK("serial code behind", serial, 1);
  CHECK("a region behind", behind, 1);
  return finish();
}
