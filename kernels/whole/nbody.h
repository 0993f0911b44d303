/* The forces between all pairs of bodies, in float. SIZE is the number of bodies. */
#include "whole.h"

struct body {
  float x, y, z, mass;
};

/* Kernel; the addresses are the device's. */
static void forces(int n, const struct body *bodies, struct body *results);

#define SOFTENING 1e-3f

/* Adds the force of one body on another: 20 operations, by the usual count. */
#define ADD_FORCE(sum, on, by)                                                                                        \
  do {                                                                                                                \
    float dx_ = (by).x - (on).x, dy_ = (by).y - (on).y, dz_ = (by).z - (on).z;                                        \
    float square_ = dx_ * dx_ + dy_ * dy_ + dz_ * dz_ + SOFTENING;                                                    \
    float inverse_ = 1.0f / __builtin_sqrtf(square_);                                                                 \
    float factor_ = (by).mass * inverse_ * inverse_ * inverse_;                                                       \
    (sum).x += dx_ * factor_, (sum).y += dy_ * factor_, (sum).z += dz_ * factor_;                                     \
  } while (0)

/* One body on the host, in double. */
static void check_one(const struct body *bodies, const struct body *results, int at) {
  double x = 0, y = 0, z = 0, all = 0;
  for (long j = 0; j < size; ++j) {
    double dx = (double)bodies[j].x - bodies[at].x, dy = (double)bodies[j].y - bodies[at].y;
    double dz = (double)bodies[j].z - bodies[at].z, square = dx * dx + dy * dy + dz * dz + (double)SOFTENING;
    double factor = bodies[j].mass / (square * __builtin_sqrt(square));
    x += dx * factor, y += dy * factor, z += dz * factor;
    all += factor * __builtin_sqrt(square);
  }
  /* rounding grows with the sum of what is added, whatever its sign */
  check("nbody", at, results[at].x, x, 1e-4 * all);
  check("nbody", at, results[at].y, y, 1e-4 * all);
  check("nbody", at, results[at].z, z, 1e-4 * all);
  check("nbody", at, results[at].mass, bodies[at].mass, 0);
}

int main(int argc, char **argv) {
  enum { CHECKED = 64 };
  begin(argc, argv);
  int n = (int)size;
  size_t bytes = n * sizeof(struct body);
  struct body *bodies = (struct body *)on_host(bytes), *results = (struct body *)on_host(bytes);
  double seconds[MOST_SAMPLES];
  for (int i = 0; i < n; ++i) {
    bodies[i].x = (float)number(), bodies[i].y = (float)number(), bodies[i].z = (float)number();
    bodies[i].mass = (float)number();
  }
  struct body *on = (struct body *)copied_to_device(bodies, bytes), *out = (struct body *)on_device(bytes);
  forces(n, on, out);
  from_device(results, out, bytes);
  for (int i = 0; i < n; ++i)
    check("nbody", i, results[i].x == results[i].x && results[i].mass == bodies[i].mass, 1, 0);
  for (int i = 0; i < CHECKED; ++i)
    check_one(bodies, results, (int)(number() * n));
  TIME(1, seconds, forces(n, on, out));
  report("nbody", seconds, 0, 20.0 * n * n);
  return 0;
}
