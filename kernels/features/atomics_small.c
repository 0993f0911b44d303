// Atomic operations on one and two bytes: loops around a swap of the word that they stand in, where that word may be all there is, or
// more than there is. Many threads contend for neighbours in one word.
#include "check.h"
#include <stdlib.h>

enum { THREADS = 64 };

unsigned char bytes[4];
struct {
  unsigned char count, mark, limit;
  signed char most;
} word = {0, 0, 100, -1};
#pragma omp declare target to(bytes, word)

#pragma omp begin declare target
__attribute__((noinline)) static void add(unsigned char *to, unsigned char value) {
#pragma omp atomic
  *to += value;
}
#pragma omp end declare target

int main(void) {
  unsigned char alone = 1;
  short most = -300, halves[2] = {0, 0};
#pragma omp target parallel num_threads(THREADS) map(tofrom : alone, most, halves)
  {
    int thread = omp_get_thread_num();
    short value = 10 * thread - 20;
    signed char narrow = 2 * thread - 10;
#pragma omp atomic
    alone += 3;
#pragma omp atomic compare
    if (most < value) { most = value; }
#pragma omp atomic
    halves[thread & 1] -= thread;
    add(&bytes[thread & 3], 5);
    // Neighbours in one word, each with a use of its own.
    if (thread < word.limit)
      add(&word.count, 2);
    if (thread == 40)
      word.mark = 7;
#pragma omp atomic compare
    if (word.most < narrow) { word.most = narrow; }
  }
#pragma omp target update from(bytes, word)
  CHECK("a byte", alone, (unsigned char)(1 + 3 * THREADS));
  CHECK("the most", most, 10 * (THREADS - 1) - 20);
  CHECK("the even half", halves[0], -992);
  CHECK("the odd half", halves[1], -1024);
  for (int k = 0; k < 4; k++)
    CHECK("a byte of a word", bytes[k], 5 * THREADS / 4);

  CHECK("the count in a word", word.count, 2 * THREADS);
  CHECK("the mark in it", word.mark, 7);
  CHECK("what was only read", word.limit, 100);
  CHECK("the most in it", word.most, 116);

  int counts[4] = {0, 0, 0, 0};
#pragma omp target map(from : counts)
  {
    unsigned char shared = 0, *byte = malloc(1);
    short *half = malloc(2), last = 0;
    *byte = 0;
    *half = 0;
#pragma omp parallel num_threads(32) shared(last)
    {
      short before;
#pragma omp atomic capture
      {
        before = *half;
        *half += 2;
      }
      add(&shared, 1);
      add(byte, 3);
      if (before == 62) {
#pragma omp atomic write
        last = before;
      }
    }
    counts[0] = shared;
    counts[1] = *byte;
    counts[2] = *half;
#pragma omp atomic read
    counts[3] = last;
    free(byte);
    free(half);
  }
  CHECK("a shared byte", counts[0], 32);
  CHECK("a block of one byte", counts[1], 96);
  CHECK("a block of two", counts[2], 64);
  CHECK("what the last thread saw", counts[3], 62);
  return finish();
}
