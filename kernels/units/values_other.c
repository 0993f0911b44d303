// The functions of C for values.f90, which call those of Fortran.
#include <complex.h>

struct point {
  double x;
  int count;
};

#pragma omp begin declare target
float complex halved(float complex z, int k);
double total(struct point p);

double complex turned(double complex z) { return z * I + halved((float complex)z, 3); }

struct point moved(struct point p, double by) {
  p.x += by;
  p.count += total(p) > 4;
  return p;
}
#pragma omp end declare target
