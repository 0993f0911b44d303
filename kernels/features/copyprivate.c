// single copyprivate: private scalars, arrays, structures, pointers and variables that are in no thread's local memory.
#include "check.h"

typedef struct {
  char tag;
  double value[5];
} Record;

enum { THREADS = 96, ROUNDS = 3 };

int main(void) {
  int wrong = 0, ran = 0, threads = 0;
#pragma omp target teams num_teams(3) thread_limit(128) map(tofrom : wrong, ran, threads)
#pragma omp parallel num_threads(THREADS)
  {
    for (int round = 0; round < ROUNDS; ++round) {
      int number = -1;
      double real = 0;
      long list[40];
      Record record = {0, {0}};
      int *where = 0;
      list[0] = list[39] = 0;
#pragma omp single copyprivate(number, list, record, where)
      {
        number = 100 * omp_get_team_num() + round;
        for (int i = 0; i < 40; ++i)
          list[i] = number + i;
        record.tag = 'a' + round;
        for (int i = 0; i < 5; ++i)
          record.value[i] = number + i * 0.5;
        where = &wrong;
#pragma omp atomic
        ran += 1;
      }
      int bad = number != 100 * omp_get_team_num() + round || record.tag != 'a' + round || where != &wrong;
      for (int i = 0; i < 40; ++i)
        bad |= list[i] != number + i;
      for (int i = 0; i < 5; ++i)
        bad |= record.value[i] != number + i * 0.5;
      // directly behind: another one
#pragma omp single copyprivate(real)
      real = number + 0.25;
      bad |= real != number + 0.25;
      if (bad)
#pragma omp atomic
        wrong += 1;
      if (omp_get_thread_num() == 0 && round == 0)
#pragma omp atomic
        threads += omp_get_num_threads();
    }
  }
  CHECK("copyprivate: wrong values", wrong, 0);
  CHECK_THAT("copyprivate: singles", ran >= ROUNDS && ran % ROUNDS == 0);
  CHECK_THAT("copyprivate: threads", threads > 0);

  // in generic kernels, from a shared variable, and in teams of one
  int sum = 0, alone = 0, team = 0;
#pragma omp target map(tofrom : sum, alone, team)
  {
    int seed = 5;
#pragma omp parallel num_threads(THREADS)
    {
      int mine = omp_get_thread_num();
#pragma omp single copyprivate(mine)
      mine = ++seed;
#pragma omp atomic
      sum += mine;
      if (omp_get_thread_num() == 0)
        team = omp_get_num_threads();
#pragma omp parallel num_threads(1)
      {
        int inner = 1;
#pragma omp single copyprivate(inner)
        inner = 2;
#pragma omp atomic
        alone += inner;
      }
    }
  }
  CHECK("copyprivate: generic", sum - 6 * team, 0);
  CHECK("copyprivate: teams of one", alone - 2 * team, 0);
  return finish();
}
