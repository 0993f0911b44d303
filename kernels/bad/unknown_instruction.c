// The device image holds an instruction that does not exist.
#include <stdio.h>

int main(void) {
  int x = 0;
#pragma omp target map(tofrom : x)
  {
    x = 41;
#ifdef __NVPTX__
    __asm__ volatile("frobnicate.u32 %0, %0;" : "+r"(x));
#endif
    x += 1;
  }
  printf("x %d\n", x);
  return x != 42;
}
