// Locks: test_lock takes and does not block; set_lock excludes in the widest team, between teams and between the lanes of
// a warp; two locks inside each other.
#include "../features/check.h"

#pragma omp begin declare target
static omp_lock_t everywhere;
#pragma omp end declare target

int main(void) {
  int r[5] = {9, 9, 9, 9, 9};
#pragma omp target map(from : r)
  {
    omp_lock_t l;
    omp_init_lock(&l);
    r[0] = omp_test_lock(&l) != 0;
    r[1] = omp_test_lock(&l) != 0;
    omp_unset_lock(&l);
    r[2] = omp_test_lock(&l) != 0;
    omp_unset_lock(&l);
    omp_set_lock(&l);
    r[3] = 1;
    r[4] = omp_test_lock(&l) != 0;
    omp_unset_lock(&l);
    omp_destroy_lock(&l);
  }
  CHECK("a free lock", r[0], 1);
  CHECK("a held lock", r[1], 0);
  CHECK("a lock that was unset", r[2], 1);
  CHECK("a lock that was set", r[3] * 10 + r[4], 10);

  int count = 0, members = 0, tries = 0, between = 0, teams = 0;
#pragma omp target
  omp_init_lock(&everywhere);
#pragma omp target teams num_teams(1) thread_limit(1024) map(tofrom : count, members, tries)
#pragma omp parallel
  {
#pragma omp atomic
    members += 1;
    omp_set_lock(&everywhere);
    {
      volatile int *p = &count;
      *p = *p + 1;
    }
    omp_unset_lock(&everywhere);
    while (!omp_test_lock(&everywhere))
      ;
    {
      volatile int *p = &tries;
      *p = *p + 1;
    }
    omp_unset_lock(&everywhere);
  }
  CHECK("1024 threads set it", count, members);
  CHECK("1024 threads try until it is set", tries, members);

#pragma omp target teams num_teams(8) thread_limit(64) map(tofrom : between, teams)
#pragma omp parallel
  {
#pragma omp atomic
    teams += 1;
    omp_set_lock(&everywhere);
    volatile int *p = &between;
    *p = *p + 1;
    omp_unset_lock(&everywhere);
  }
  CHECK("threads of 8 teams", between, teams);

  int first = 0, second = 0, size = 0;
#pragma omp target map(tofrom : first, second, size)
  {
    omp_lock_t a, b;
    omp_init_lock(&a);
    omp_init_lock(&b);
#pragma omp parallel num_threads(64)
    {
#pragma omp atomic
      size += 1;
      if (omp_get_thread_num() % 2) {
        omp_set_lock(&a);
        volatile int *p = &first;
        *p = *p + 1;
        omp_set_lock(&b);
        volatile int *q = &second;
        *q = *q + 1;
        omp_unset_lock(&b);
        omp_unset_lock(&a);
      } else {
        omp_set_lock(&b);
        volatile int *q = &second;
        *q = *q + 1;
        omp_unset_lock(&b);
      }
    }
    omp_destroy_lock(&a);
    omp_destroy_lock(&b);
  }
  CHECK("the outer of two locks", first, size / 2);
  CHECK("the inner of two locks", second, size);
  return finish();
}
