// A region with fewer threads than the block: its barriers count its own threads, and the idle ones neither run ahead into
// the next region nor meet the barriers of this one.
#include "../features/check.h"

enum { ROUNDS = 40 };

#define REGION(n)                                                                                                      \
  do {                                                                                                                 \
    int bad = 0, wide = 0;                                                                                             \
    PRAGMA(omp target teams num_teams(1) thread_limit(128) map(tofrom : bad, wide))                                    \
    {                                                                                                                  \
      int slot[128];                                                                                                   \
      PRAGMA(omp parallel num_threads(n))                                                                              \
      {                                                                                                                \
        int me = omp_get_thread_num(), size = omp_get_num_threads();                                                   \
        for (int r = 0; r < ROUNDS; ++r) {                                                                             \
          slot[me] = r;                                                                                                \
          PRAGMA(omp barrier)                                                                                          \
          if (slot[(me + 1) % size] != r)                                                                              \
            PRAGMA(omp atomic)                                                                                         \
          bad += 1;                                                                                                    \
          PRAGMA(omp barrier)                                                                                          \
        }                                                                                                              \
      }                                                                                                                \
      PRAGMA(omp parallel)                                                                                             \
      {                                                                                                                \
        if (slot[0] != ROUNDS - 1)                                                                                     \
          PRAGMA(omp atomic)                                                                                           \
        bad += 1;                                                                                                      \
        PRAGMA(omp atomic)                                                                                             \
        wide += 1;                                                                                                     \
      }                                                                                                                \
    }                                                                                                                  \
    CHECK("num_threads(" #n "): values seen too early or late", bad, 0);                                               \
    CHECK_THAT("num_threads(" #n "): the next region has all threads", wide > 1);                                      \
  } while (0)

int main(void) {
  REGION(2);
  REGION(17);
  REGION(32);
  REGION(64);
  REGION(90);
  return finish();
}
