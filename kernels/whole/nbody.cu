/* The forces between all pairs of bodies in CUDA, with tiles in shared memory. */
#include "nbody.h"
#include "device.h"

__global__ void forces_kernel(int n, const struct body *bodies, struct body *results) {
  __shared__ struct body tile[WIDTH];
  int i = (int)POSITION;
  struct body on = bodies[i < n ? i : 0], sum = {0, 0, 0, on.mass};
  for (int first = 0; first < n; first += WIDTH) {
    if (first + THREAD < n)
      tile[THREAD] = bodies[first + THREAD];
    SYNC();
    int last = n - first < WIDTH ? n - first : WIDTH;
    for (int j = 0; j < last; ++j)
      ADD_FORCE(sum, on, tile[j]);
    SYNC();
  }
  if (i < n)
    results[i] = sum;
}

static void forces(int n, const struct body *bodies, struct body *results) {
  forces_kernel<<<blocks(n), WIDTH>>>(n, bodies, results);
}
