// An array that each construct maps anew.
#include <stdio.h>

enum { N = 1 << 14, TIMES = 10 };

int main(void) {
  static int a[N];
  for (int time = 0; time < TIMES; ++time) {
#pragma omp target teams distribute parallel for map(tofrom : a)
    for (int i = 0; i < N; ++i)
      a[i] += i;
  }
  printf("last %d\n", a[N - 1]);
  return 0;
}
