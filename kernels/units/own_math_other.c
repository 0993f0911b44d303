// See own_math.c.
#pragma omp declare target
double erf(double x) { return x + 100; }
#pragma omp end declare target
