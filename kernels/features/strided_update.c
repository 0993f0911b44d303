// `target update` of sections with strides whose lengths only the running program knows: only their elements are copied.
#include "check.h"
#include <stdlib.h>

enum { N = 12 };

int main(int argc, char **argv) {
  (void)argv;
  int device = offloads(), half = N / 2 * argc, third = N / 3 * argc;
  double a[N], block[N][N], *heap = malloc(N * sizeof *heap);
  for (int i = 0; i < N; ++i) {
    a[i] = heap[i] = i;
    for (int j = 0; j < N; ++j)
      block[i][j] = i * N + j;
  }
#pragma omp target data map(to : a, block, heap[0 : N])
  {
#pragma omp target
    for (int i = 0; i < N; ++i) {
      a[i] += 100, heap[i] += 100;
      for (int j = 0; j < N; ++j)
        block[i][j] += 1000;
    }
#pragma omp target update from(a[0 : half : 2], heap[0 : third : 3])
#pragma omp target update from(block[0 : half : 2][0 : N])
    int right = 1, right_heap = 1, right_block = 1;
    for (int i = 0; i < N; ++i) {
      right &= a[i] == i + (!device || i % 2 == 0 ? 100 : 0);
      right_heap &= heap[i] == i + (!device || i % 3 == 0 ? 100 : 0);
      for (int j = 0; j < N; ++j)
        right_block &= block[i][j] == i * N + j + (!device || i % 2 == 0 ? 1000 : 0);
    }
    CHECK_THAT("every second element comes", right);
    CHECK_THAT("every third element comes, through a pointer", right_heap);
    CHECK_THAT("every second row comes", right_block);

    for (int i = 0; i < N; ++i)
      a[i] = -i;
    double sum = 0;
#pragma omp target update to(a[0 : half : 2])
#pragma omp target map(tofrom : sum)
    for (int i = 0; i < N; ++i)
      sum += a[i];
    double want = 0;
    for (int i = 0; i < N; ++i)
      want += !device || i % 2 == 0 ? -i : i + 100;
    CHECK_THAT("every second element goes", sum == want);
  }
  free(heap);
  return finish();
}
