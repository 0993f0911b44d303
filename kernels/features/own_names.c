// Functions of the program with the names of CUDA's, of which clang's math.h for NVIDIA's GPUs takes its own instead (docs/upstream.md).
#include <math.h>
#include <stdio.h>

#pragma omp declare target
int max(int a, int b) { return a * 1000 + b; }
double rsqrt(double x) { return -x; }
float powif(float x, int n) { return x - n; }
#pragma omp end declare target

static double norm3d(double a, double b, double c) { return sqrt(a * a) + b + c; }

int main(void) {
  int largest = 0;
  double root = 0, length = 0, power = 0;
#pragma omp target map(from : largest, root, length, power)
  {
    largest = max(3, 4);
    root = rsqrt(4.0);
    length = norm3d(1, 2, 2);
    power = powif(3, 2);
  }
  printf("%d %g %g %g\n", largest, root, length, power);
  return !(largest == 3004 && root == -4 && length == 5 && power == 1);
}
