// Serial reads and writes of a volatile variable, which may not be repeated, decide about parallel loops.
#include "shape.h"

void f(int *a, int n, volatile int *word) {
#pragma omp target map(tofrom : a[0 : n], word[0 : 1])
  while (*word) {
    *word = *word - 1;
    if (*word % 3 == 1) {
#pragma omp parallel for
      for (int i = 0; i < n; i++)
        a[i] += 2;
    } else
      a[*word] = 0;
  }
}

int main(void) {
  int a[N], word = 11;
  FILL(a);
  f(a, N, &word);
  SHOW(a);
  printf("word %d\n", word);
}
