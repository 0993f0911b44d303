// Serial code calls, through a pointer that it chooses, one of two functions with parallel loops.
#include "shape.h"

#pragma omp begin declare target
static void add(int *a, int n) {
  a[0]++;
#pragma omp parallel for
  for (int i = 1; i < n; i++)
    a[i] += a[0];
}
static void turn(int *a, int n) {
  int last = a[n - 1];
#pragma omp parallel for
  for (int i = 1; i < n; i++)
    a[i] = last - a[i];
}
#pragma omp end declare target

void f(int *a, int n) {
#pragma omp target map(tofrom : a[0 : n])
  for (int k = 0; k < 4; k++) {
    void (*chosen)(int *, int) = a[k] & 1 ? add : turn;
    chosen(a, n);
  }
}

int main(void) {
  int a[N];
  FILL(a);
  f(a, N);
  SHOW(a);
}
