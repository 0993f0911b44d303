// Device numbers are usable in a target region; the allocators of thread, team and group memory give memory.
#include "../features/check.h"

int main(void) {
  int init = -7, num = -7, other = -7, nulls = 0, wrong = 0;
#pragma omp target map(from : init, num, other)
  {
    init = omp_get_initial_device();
    num = omp_get_num_devices();
    other = omp_get_default_device();
  }
  CHECK_THAT("initial device", init == omp_get_initial_device());
  CHECK_THAT("number of devices", num == omp_get_num_devices());
  CHECK_THAT("default device", other >= 0);
#pragma omp target teams num_teams(1) thread_limit(64) map(tofrom : nulls, wrong)
#pragma omp parallel
  {
    omp_allocator_handle_t kinds[3] = {omp_thread_mem_alloc, omp_pteam_mem_alloc, omp_cgroup_mem_alloc};
    for (int k = 0; k < 3; ++k) {
      int *p = (int *)omp_alloc(sizeof(int), kinds[k]);
      if (!p) {
#pragma omp atomic
        nulls += 1;
        continue;
      }
      *p = omp_get_thread_num() + k;
      if (*p != omp_get_thread_num() + k)
#pragma omp atomic
        wrong += 1;
      omp_free(p, kinds[k]);
    }
  }
  CHECK("allocations without memory", nulls, 0);
  CHECK("wrong values", wrong, 0);
  return finish();
}
