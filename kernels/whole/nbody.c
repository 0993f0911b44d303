/* The forces between all pairs of bodies in OpenMP. */
#include "nbody.h"

static void forces(int n, const struct body *bodies, struct body *results) {
#pragma omp target teams distribute parallel for is_device_ptr(bodies, results)
  for (int i = 0; i < n; ++i) {
    struct body sum = {0, 0, 0, bodies[i].mass}, on = bodies[i];
    for (int j = 0; j < n; ++j)
      ADD_FORCE(sum, on, bodies[j]);
    results[i] = sum;
  }
}
