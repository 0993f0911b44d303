// Arrays of constants on a thread's stack, of which nothing is changed: LLVM reads the constants themselves.
#include "check.h"

#pragma omp begin declare target
static __attribute__((noinline)) double series(double x, double terms[], int degree) {
  double sum = 0;
  for (int i = degree; i >= 0; --i)
    sum = sum * x + terms[i];
  return sum;
}
#pragma omp end declare target

int main(void) {
  enum { N = 300 };
  long inside[N], wrong = 0;
  double passed[N], kept[N];
#pragma omp target parallel for map(from : inside)
  for (int i = 0; i < N; ++i) {
    long a[4] = {3, 2, 0, 1};
    inside[i] = a[a[i & 3]];
  }
#pragma omp target teams distribute parallel for map(from : passed, kept)
  for (int i = 0; i < N; ++i) {
    double terms[] = {1, 0.5, 0.25, 3, 7, 11, 9, 2}, changed[] = {1, 0.5, 0.25, 3, 7, 11, 9, 2};
    passed[i] = series(i % 7, terms, i % 8);
    changed[i % 3] += 1;
    kept[i] = series(i % 7, changed, i % 8);
  }
  double terms[] = {1, 0.5, 0.25, 3, 7, 11, 9, 2};
  for (int i = 0; i < N; ++i) {
    long a[4] = {3, 2, 0, 1};
    wrong += inside[i] != a[a[i & 3]] || passed[i] != series(i % 7, terms, i % 8);
    terms[i % 3] += 1;
    wrong += kept[i] != series(i % 7, terms, i % 8);
    terms[i % 3] -= 1;
  }
  CHECK("elements", wrong, 0L);
  return finish();
}
