// simd loops: a GPU has no vector unit, so clang says that it does not vectorise; the results must be right.
#include "check.h"

enum { N = 1000 };

#pragma omp declare target
#pragma omp declare simd uniform(a) linear(i : 1)
static float scaled(float a, int i) { return a * (float)i; }
#pragma omp end declare target

int main(void) {
  float x[N];
#pragma omp target teams distribute parallel for simd map(from : x)
  for (int i = 0; i < N; ++i)
    x[i] = i * 0.5f;
  CHECK("for simd", x[N - 1], (N - 1) * 0.5f);

  double total = 0;
#pragma omp target map(tofrom : total)
#pragma omp simd reduction(+ : total)
  for (int i = 0; i < N; ++i)
    total += i;
  CHECK("simd reduction", total, 499500.0);

  int last = 0, position = 5, y[N];
#pragma omp target map(from : last, y) map(tofrom : position)
#pragma omp simd lastprivate(last) linear(position : 3) safelen(8)
  for (int i = 0; i < N; ++i) {
    last = i;
    y[i] = position;
    position += 3;
  }
  CHECK("simd lastprivate", last, N - 1);
  CHECK("simd linear, inside", y[100], 305);
  CHECK("simd linear, behind", position, 5 + 3 * N);

#pragma omp target teams distribute simd map(from : x)
  for (int i = 0; i < N; ++i)
    x[i] = scaled(2, i);
  CHECK("distribute simd, declare simd", x[N - 1], 2 * (N - 1));

  double sum = 0;
#pragma omp target teams distribute parallel for simd collapse(2) reduction(+ : sum)
  for (int i = 0; i < 30; ++i)
    for (int j = 0; j < 30; ++j)
      sum += i * 30 + j;
  CHECK("for simd, collapse, reduction", sum, 899 * 450.0);
  return finish();
}
