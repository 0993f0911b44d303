#include "shapes.h"

#pragma omp begin declare target
Unit inch(2.5);
Unit::Unit(double scale) : scale(scale) {}
double Circle::area() const { return radius * radius * 3; }
// The variables may be seen by other threads: the runtime gives their memory, to any file.
__attribute__((noinline)) static void add(double *to, const double *what) { *to += *what; }
double grow(double value) {
  double one = 1;
  add(&value, &one);
  return value;
}
#pragma omp end declare target
