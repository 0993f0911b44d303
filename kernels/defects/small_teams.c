// num_threads(k) gives k threads where the limit allows it, below a warp too; thread_limit(k) never gives more.
#include "../features/check.h"

#pragma omp begin declare target
// Keeps a kernel generic.
__attribute__((noinline)) static void pin(void) { __asm__ volatile("" ::: "memory"); }
#pragma omp end declare target

int main(void) {
  int wrong = 0, disagree = 0, over = 0, none = 0;
  for (int want = 1; want <= 64; want += want < 8 ? 1 : 13) {
    int seen = 0, said = 0;
#pragma omp target teams num_teams(1) map(tofrom : seen, said)
    {
      pin();
#pragma omp parallel num_threads(want)
      {
#pragma omp atomic
        seen += 1;
#pragma omp atomic write
        said = omp_get_num_threads();
      }
    }
    wrong += seen != want;
    disagree += seen != said;
    seen = said = 0;
#pragma omp target parallel num_threads(want) map(tofrom : seen, said)
    {
#pragma omp atomic
      seen += 1;
#pragma omp atomic write
      said = omp_get_num_threads();
    }
    wrong += seen != want;
    disagree += seen != said;
  }
  CHECK("num_threads that another number of threads follows", wrong, 0);
  CHECK("omp_get_num_threads against the threads", disagree, 0);

  for (int limit = 1; limit <= 37; limit += 6) {
    int seen = 0;
#pragma omp target teams num_teams(1) thread_limit(limit) map(tofrom : seen)
    {
      pin();
#pragma omp parallel
#pragma omp atomic
      seen += 1;
    }
    over += seen > limit;
    none += seen < 1;
  }
  CHECK("more threads than thread_limit", over, 0);
  CHECK("no thread at all", none, 0);
  return finish();
}
