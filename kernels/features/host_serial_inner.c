// A region inside a region of one thread in the form of host code, in serial code: it is at the second level and has one thread,
// also behind regions that have left workers idle.
#include "check.h"
#include "host_serial.h"

int main(void) {
  int first = 0, before = 0, level = 0, size = 0, runs = 0, behind = 0, device = 0;
#pragma omp target map(tofrom : first, before, level, size, runs, behind, device) thread_limit(64)
  {
    device = DEVICE;
    // Nothing of regions has been set up yet.
    __kmpc_serialized_parallel(0, 0);
#pragma omp parallel
    {
#pragma omp atomic
      first += 10 * omp_get_level() + omp_get_num_threads();
    }
    __kmpc_end_serialized_parallel(0, 0);
    for (int round = 0; round < 2; ++round) {
#pragma omp parallel num_threads(5)
      {
#pragma omp atomic
        before += omp_get_level();
      }
      __kmpc_serialized_parallel(0, 0);
#pragma omp parallel num_threads(3)
      {
        level = omp_get_level();
        size = omp_get_num_threads();
#pragma omp atomic
        ++runs;
      }
      __kmpc_end_serialized_parallel(0, 0);
    }
#pragma omp parallel
    {
#pragma omp atomic
      behind |= omp_get_level();
    }
  }
  CHECK("level and threads of the first one", device ? first : 21, 21);
  CHECK("threads of the smaller regions", before, 10);
  CHECK("level inside", device ? level : 2, 2);
  CHECK("threads inside", device ? size : 1, 1);
  CHECK("how often", device ? runs : 2, 2);
  CHECK("level of a region behind", behind, 1);
  return finish();
}
