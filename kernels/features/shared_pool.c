// Memory for variables of serial code, taken by whole warps, single lanes and odd ones at once, in pieces of many sizes, and
// given back in another order: no two threads have the same bytes, and all of it can be had again.
#include "check.h"
#include <stddef.h>
#include <stdint.h>

enum { THREADS = 160, ROUNDS = 6, PIECES = 3, LONGEST = 300 };

#ifdef __NVPTX__
void *__kmpc_alloc_shared(size_t bytes);
void __kmpc_free_shared(void *memory, size_t bytes);
#else
#include <stdlib.h>
#define __kmpc_alloc_shared malloc
#define __kmpc_free_shared(memory, bytes) free(memory)
#endif

#pragma omp begin declare target
static size_t bytes_of(int thread, int round, int piece) {
  static const size_t sizes[] = {1, 32, 33, 100, 0, 256, 8, LONGEST};
  // Rounds in which the lanes of a warp want the same, and others in which each wants something else.
  return sizes[((round % 2 ? thread : thread / 32) + round + 3 * piece) % 8];
}

// Takes `PIECES` pieces, marks all their bytes, lets others do the same, looks at them, and gives them back.
__attribute__((noinline)) static int use(int thread, int round) {
  unsigned char *memory[PIECES];
  int wrong = 0;
  for (int piece = 0; piece < PIECES; ++piece) {
    size_t bytes = bytes_of(thread, round, piece);
    memory[piece] = __kmpc_alloc_shared(bytes);
    wrong += (uintptr_t)memory[piece] % 16 != 0;
    for (size_t i = 0; i < bytes; ++i)
      memory[piece][i] = (unsigned char)(thread + piece * 7 + i);
  }
#pragma omp barrier
  for (int n = 0; n < PIECES; ++n) {
    int piece = (n + thread) % PIECES;
    size_t bytes = bytes_of(thread, round, piece);
    for (size_t i = 0; i < bytes; ++i)
      wrong += memory[piece][i] != (unsigned char)(thread + piece * 7 + i);
    __kmpc_free_shared(memory[piece], bytes);
  }
  return wrong;
}

// Whether the pool gives all that it has in one piece; the compiler must not make a variable of it.
__attribute__((noinline)) static int whole_pool(void) {
#ifdef __NVPTX__
  unsigned char *memory = __kmpc_alloc_shared(1024);
  __asm__ volatile("" : "+l"(memory)::"memory");
  int in_pool = __nvvm_isspacep_shared(memory);
  __kmpc_free_shared(memory, 1024);
  return in_pool;
#else
  return 1;
#endif
}
#pragma omp end declare target

int main(void) {
  int wrong = 0, whole = 0;
#pragma omp target map(tofrom : wrong, whole)
  {
#pragma omp parallel num_threads(THREADS) reduction(+ : wrong)
    for (int round = 0; round < ROUNDS; ++round)
      wrong += use(omp_get_thread_num(), round);
    // The pool is free again: a piece as large as all of it is there, twice.
    whole = whole_pool() && whole_pool();
  }
  CHECK("bytes that another thread has changed", wrong, 0);
  CHECK("the pool is free again", whole, 1);
  return finish();
}
