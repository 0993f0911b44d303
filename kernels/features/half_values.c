// Variables of 16 bits with initial values that are fractions, which LLVM writes in PTX as numbers of 64 bits.
#include "check.h"

#pragma omp begin declare target
volatile _Float16 half = 1.5;
static volatile __bf16 brain = -2.5;
static volatile _Float16 several[3] = {1, 0.25, 3};
static const volatile _Float16 fixed = 0.125;
#pragma omp end declare target

int main(void) {
  double sums[4] = {0};
#pragma omp target map(tofrom : sums)
  {
    sums[0] = half;
    sums[1] = (float)brain;
    sums[2] = several[0] + 10 * several[1] + 100 * several[2];
    sums[3] = fixed;
    half = half * 2;
  }
  CHECK("_Float16", sums[0], 1.5);
  CHECK("__bf16", sums[1], -2.5);
  CHECK("an array", sums[2], 303.5);
  CHECK("a constant", sums[3], 0.125);
#pragma omp target update from(half)
  CHECK("written", (double)half, 3.0);
  return finish();
}
