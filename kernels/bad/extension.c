// Maps a whole array of which a part is mapped already.
#include <stdio.h>

int main(void) {
  int v[100] = {1};
#pragma omp target data map(tofrom : v[20 : 10])
  {
#pragma omp target map(tofrom : v[0 : 100])
    v[0] = 2;
  }
  printf("v %d\n", v[0]);
  return 0;
}
