// Serial code calls functions through pointers: one of this file, with a parallel region, and one of another file.
#include <stdio.h>

#define N 100

#pragma omp begin declare target
typedef void work(int *);
extern work *other;

static void here(int *a) {
#pragma omp parallel for
  for (int i = 0; i < N; i++)
    a[i] += 2;
}

work *table[2] = {here, 0};
#pragma omp end declare target

int main(void) {
  int a[N];
  for (int i = 0; i < N; i++)
    a[i] = i;
  for (int k = 0; k < 2; k++) {
#pragma omp target map(tofrom : a)
    {
      table[1] = other;
      a[0]++;
      table[k](a);
      a[1]++;
    }
  }
  for (int i = 0; i < N; i++)
    printf("%d ", a[i]);
  puts("");
}
