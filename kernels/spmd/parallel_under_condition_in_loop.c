// A serial loop enters a parallel region for some elements only and changes the memory that decides it.
#include "shape.h"
#include <omp.h>

void f(int *a, int n) {
#pragma omp target map(tofrom : a[0 : n])
  {
    for (int i = 0; i < n; i++) {
      if (a[i] & 1) {
#pragma omp parallel
        {
#pragma omp atomic
          a[i] += omp_get_thread_num();
        }
      } else
        a[i] = -1;
    }
  }
}

int main(void) {
  int a[N], b[N];
  FILL(a);
  FILL(b);
  f(a, N);
  // Each odd element grew by 0 + 1 + ... + threads - 1.
  int grown = a[0] - b[0], wrong = 0;
  for (int i = 0; i < N; i++)
    wrong += b[i] & 1 ? a[i] - b[i] != grown : a[i] != -1;
  printf("wrong: %d\n", wrong);
}
