// Serial code whose variables, with those of the functions that it calls, are more than the 48 KiB of static shared memory
// that a kernel may have.
#include <stdio.h>

enum { LARGE = 11200, SMALL = 500 };

#pragma omp begin declare target
#define FUNCTION(n)                                                                                                    \
  __attribute__((noinline)) static int with_array##n(int k) {                                                          \
    int v[SMALL];                                                                                                      \
    for (int i = 0; i < SMALL; ++i)                                                                                    \
      v[i] = k;                                                                                                        \
    _Pragma("omp parallel for") for (int i = 0; i < SMALL; ++i) v[i] += i + n;                                         \
    return v[7];                                                                                                       \
  }
FUNCTION(1)
FUNCTION(2)
FUNCTION(3)
#pragma omp end declare target

int main(void) {
  int got[4] = {0};
#pragma omp target map(tofrom : got)
  {
    int large[LARGE];
#pragma omp parallel for
    for (int i = 0; i < LARGE; ++i)
      large[i] = i;
    got[0] = large[LARGE - 1];
    got[1] = with_array1(1) + with_array1(2);
    got[2] = with_array2(1) + with_array2(2);
    got[3] = with_array3(1) + with_array3(2);
  }
  printf("%d %d %d %d\n", got[0], got[1], got[2], got[3]);
  return !(got[0] == LARGE - 1 && got[1] == 19 && got[2] == 21 && got[3] == 23);
}
