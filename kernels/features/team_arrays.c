// Arrays of a team, written by one thread and read by another behind a barrier, in regions that ask for as many threads as the
// kernel's teams have at most. The passes put them into static shared memory as far as a launch can have it, and only there each
// of 400 teams could have 32 KiB at once: the device's heap has 8 MiB.
#include "check.h"

enum { TEAMS = 400, THREADS = 128, LONGS = 32 * THREADS, MOST = 5900, MORE = 4 * LONGS };

static long sums[TEAMS];

#ifdef __NVPTX__
#define IS_SHARED(pointer) __nvvm_isspacep_shared(pointer)
#else
#define IS_SHARED(pointer) 1
#endif

// Fills an array of `length`, and sums up what others wrote.
#define FILL_AND_READ(length)                                                                                          \
  int thread = omp_get_thread_num(), threads = omp_get_num_threads();                                                  \
  for (int i = thread; i < (length); i += threads)                                                                     \
    array[i] = team + i;                                                                                               \
  _Pragma("omp barrier") long sum = 0;                                                                                 \
  for (int i = threads - 1 - thread; i < (length); i += threads)                                                       \
    sum += array[i] - i;                                                                                               \
  _Pragma("omp atomic") sums[team] += sum;

// In shared memory.
#define IN_SHARED_MEMORY(name, length)                                                                                 \
  static int name(void) {                                                                                              \
    int elsewhere = 0;                                                                                                 \
    _Pragma("omp target teams num_teams(TEAMS) thread_limit(THREADS) map(tofrom : sums, elsewhere)") {                 \
      long array[length];                                                                                              \
      for (int team = omp_get_team_num(); team < TEAMS; team += omp_get_num_teams())                                   \
        _Pragma("omp parallel num_threads(THREADS)") {                                                                 \
          FILL_AND_READ(length)                                                                                        \
          if (!IS_SHARED(array))                                                                                       \
            _Pragma("omp atomic") elsewhere += 1;                                                                      \
        }                                                                                                              \
    }                                                                                                                  \
    return elsewhere;                                                                                                  \
  }
IN_SHARED_MEMORY(fits, LONGS)
IN_SHARED_MEMORY(just_fits, MOST)

// 128 KiB: from the device's heap.
static void does_not_fit(int teams) {
#pragma omp target teams num_teams(teams) thread_limit(THREADS) map(tofrom : sums)
  {
    long array[MORE];
    for (int team = omp_get_team_num(); team < teams; team += omp_get_num_teams())
#pragma omp parallel num_threads(THREADS)
    {
      FILL_AND_READ(MORE)
    }
  }
}

void *llvm_omp_target_dynamic_shared_alloc(void);
#pragma omp declare target(llvm_omp_target_dynamic_shared_alloc)

// 36 KiB, and 16 KiB that the launch gives: more than a kernel may have without asking the driver.
static int beside_dynamic_memory(void) {
  int wrong = 0;
#pragma omp target teams num_teams(2) thread_limit(THREADS) map(tofrom : wrong) ompx_dyn_cgroup_mem(16 << 10)
  {
    long array[LONGS + LONGS / 8];
#pragma omp parallel num_threads(THREADS)
    {
      int thread = omp_get_thread_num(), threads = omp_get_num_threads(), mistakes = 0;
      long *more = llvm_omp_target_dynamic_shared_alloc();
      for (int i = thread; i < LONGS + LONGS / 8; i += threads)
        array[i] = i;
      for (int i = thread; more && i < 2048; i += threads)
        more[i] = -i;
#pragma omp barrier
      for (int i = threads - 1 - thread; i < LONGS + LONGS / 8; i += threads)
        mistakes += array[i] != i;
      for (int i = threads - 1 - thread; more && i < 2048; i += threads)
        mistakes += more[i] != -i;
#pragma omp atomic
      wrong += mistakes + (omp_is_initial_device() == 0 && !more);
    }
  }
  return wrong;
}

static int wrong_sums(int teams, long factor) {
  int wrong = 0;
  for (int team = 0; team < TEAMS; ++team) {
    wrong += sums[team] != (team < teams ? team * factor : 0);
    sums[team] = 0;
  }
  return wrong;
}

int main(void) {
  CHECK("threads whose 32 KiB are not in shared memory", fits(), 0);
  CHECK("wrong sums of 32 KiB", wrong_sums(TEAMS, LONGS), 0);
  CHECK("threads whose 46 KiB are not in shared memory", just_fits(), 0);
  CHECK("wrong sums of 46 KiB", wrong_sums(TEAMS, MOST), 0);
  does_not_fit(4);
  CHECK("wrong sums of 128 KiB", wrong_sums(4, MORE), 0);
  CHECK("wrong numbers beside dynamic memory", beside_dynamic_memory(), 0);
  return finish();
}
