// Macros with the names of CUDA's functions in front of math.h, which C allows: they are not C's. clang's header for NVIDIA's GPUs does
// not compile behind them (docs/upstream.md).
#define max(a, b) ((a) > (b) ? (a) : (b))
#define min(a, b) ((a) < (b) ? (a) : (b))
#define norm(x) fabs(x)
#define umax max
#include <math.h>
#include <stdio.h>

int main(void) {
  double x = 0, y = 0;
#pragma omp target map(from : x, y)
  {
    x = sqrt(max(4.0, 1.0)) + min(2, 1);
    y = norm(-3.0) + umax(1, 2);
  }
  printf("%g %g\n", x, y);
  return !(x == 3 && y == 5);
}
