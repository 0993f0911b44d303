// Regions of one thread in the form of host code, inside each other, in a program that pushes no clauses: its threads' states
// have nothing for them.
#include "check.h"
#include "host_serial.h"

#pragma omp begin declare target
// openmp-opt asks for the level once in each function.
__attribute__((noinline)) static int level(void) { return omp_get_level(); }
#pragma omp end declare target

int main(void) {
  int found = 0, behind = 0, device = 0;
#pragma omp target map(tofrom : found, behind, device)
  {
    device = DEVICE;
    __kmpc_serialized_parallel(0, 0);
    found += level();
    __kmpc_serialized_parallel(0, 0);
    found += 10 * level();
    __kmpc_end_serialized_parallel(0, 0);
    found += 100 * level();
    __kmpc_end_serialized_parallel(0, 0);
    found += 1000 * level();
#pragma omp parallel
    {
#pragma omp atomic
      behind |= level();
    }
  }
  CHECK("levels", device ? found : 121, 121);
  CHECK("level of a region behind", behind, 1);
  return finish();
}
