// A program's own function of the name of one of C's wins over the device runtime's, and the rest of C's stay the runtime's.
#include <stdio.h>
#pragma omp declare target
double erf(double), cbrt(double);
#pragma omp end declare target

int main(void) {
  volatile double given = 27;
  double x = given, own = 0, root = 0;
#pragma omp target map(from : own, root)
  {
    own = erf(x);
    root = cbrt(x);
  }
  printf("%g %g\n", own, root);
  return !(own == 127 && root > 2.999 && root < 3.001);
}
