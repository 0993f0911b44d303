// A barrier in a function that serial code calls, where it is one of a team of one thread, as well as parallel regions, where it is one
// of all: also where all threads run the serial code, and where one is left to run it.
#include "check.h"

enum { THREADS = 64, ROUNDS = 3 };

#pragma omp begin declare target
static void step(int *slot, int number) {
  *slot += number;
#pragma omp barrier
}

// Too large to become part of its callers, and nothing is known of its values.
__attribute__((noinline)) static int many_steps(int *slots, int own, int number) {
  for (int i = 0; i < number; ++i)
    step(&slots[own], i + 1);
  return slots[own];
}
#pragma omp end declare target

int main(void) {
  int slots[THREADS] = {0}, serial[ROUNDS] = {0}, wrong = 0, number = 5;
#pragma omp target map(tofrom : slots, serial, wrong) firstprivate(number)
  for (int round = 0; round < ROUNDS; ++round) {
    serial[round] = many_steps(serial, round, number + round);
#pragma omp parallel num_threads(THREADS)
    {
      const int me = omp_get_thread_num(), next = (me + 1) % THREADS;
      many_steps(slots, me, number);
      const int seen = slots[next], sum = (round + 1) * number * (number + 1) / 2;
#pragma omp atomic
      wrong += seen != sum;
#pragma omp barrier
    }
  }
  CHECK("wrong", wrong, 0);
  for (int round = 0; round < ROUNDS; ++round)
    CHECK("serial", serial[round], (number + round) * (number + round + 1) / 2);

  // The same in a team whose variables its threads share, with nothing but calls in the serial code.
  int first = 0;
#pragma omp target teams num_teams(3) thread_limit(THREADS) map(tofrom : first, wrong)
  {
    int shared[THREADS], count = 0;
    step(&count, 7);
#pragma omp parallel
    {
      const int me = omp_get_thread_num(), threads = omp_get_num_threads();
      shared[me] = me;
#pragma omp barrier
      const int seen = shared[(me + 1) % threads];
#pragma omp barrier
      shared[me] = seen;
#pragma omp atomic
      wrong += seen != (me + 1) % threads;
    }
    step(&count, 1);
    if (omp_get_team_num() == 0)
      first = count;
  }
  CHECK("wrong in teams", wrong, 0);
  CHECK("first", first, 8);
  return finish();
}
