// Two target tasks of one thread of libomp: the first kernel ends only when the second one has run, so the runtime must let
// the thread go on while the device works.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  int device = omp_get_default_device(), value = 0, before[1] = {0}, after[1] = {0};
  int *flag = omp_target_alloc(sizeof *flag, device);
  omp_target_memcpy(flag, &value, sizeof value, 0, 0, device, omp_get_initial_device());
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp target nowait is_device_ptr(flag) map(from : before) depend(out : before)
    {
      int seen = 0;
      while (!seen) {
#pragma omp atomic read acquire
        seen = *flag;
      }
      before[0] = seen;
    }
#pragma omp target nowait is_device_ptr(flag)
    {
#pragma omp atomic write release
      *flag = 42;
    }
#pragma omp target nowait map(to : before) map(from : after) depend(in : before)
    after[0] = before[0] + 1;
#pragma omp taskwait
  }
  omp_target_free(flag, device);
  printf("%d %d\n", before[0], after[0]);
  return before[0] != 42 || after[0] != 43;
}
