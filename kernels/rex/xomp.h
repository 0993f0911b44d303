/* The device functions that REX's kernels call, in their published signatures, for a GPU and for code that runs once on
   the host's CPU. Loops are dealt out in chunks, round robin; bounds are inclusive, as REX writes them. */
#ifndef XOMP_H
#define XOMP_H

#ifdef __NVPTX__
#define REX_GLOBAL __attribute__((nvptx_kernel))
#define REX_THREAD __nvvm_read_ptx_sreg_tid_x()
#define REX_THREADS __nvvm_read_ptx_sreg_ntid_x()
#define REX_BLOCK __nvvm_read_ptx_sreg_ctaid_x()
#define REX_BLOCKS __nvvm_read_ptx_sreg_nctaid_x()
#define REX_SHARED __attribute__((address_space(3)))
#define REX_SYNC() __nvvm_bar_sync(0)
extern "C" int vprintf(const char *, void *);
#else
#include <stdarg.h>
#include <stdio.h>
#define REX_GLOBAL
#define REX_THREAD 0
#define REX_THREADS 1
#define REX_BLOCK 0
#define REX_BLOCKS 1
#define REX_SHARED
#define REX_SYNC()
#endif

/* Prints four numbers. */
static inline void rex_print(const char *format, int a, int b, int c, int d) {
#ifdef __NVPTX__
  int values[] = {a, b, c, d};
  vprintf(format, values);
#else
  printf(format, a, b, c, d);
  fflush(stdout);
#endif
}

/* Threads in so many dimensions; REX uses one. */
static inline int getCUDABlockThreadCount(int) { return REX_BLOCKS * REX_THREADS; }

/* Number of this thread among them. */
static inline int getLoopIndexFromCUDAVariables(int) { return REX_BLOCK * REX_THREADS + REX_THREAD; }

static inline void XOMP_static_sched_init(int lower, int, int step, int chunk, int, int thread, int *loop_chunk,
                                          int *next, int *stride) {
  *loop_chunk = chunk > 0 ? chunk : 1;
  *next = lower + thread * *loop_chunk * step;
  *stride = step;
}

/* The next chunk of this thread; 0 when there is none. */
static inline int XOMP_static_sched_next(int *next, int last, int step, int, int chunk, int threads, int, int *lower,
                                         int *upper) {
  if (step > 0 ? *next > last : *next < last)
    return 0;
  *lower = *next;
  int end = *next + (chunk - 1) * step;
  *upper = (step > 0 ? end > last : end < last) ? last : end;
  *next += threads * chunk * step;
  return 1;
}

/* One value for each block: the sum (operation 6 of REX) of its threads' values. The threads are a power of two. */
template <typename T> static inline void rex_block_sum(T value, T *results, REX_SHARED T *shared) {
  shared[REX_THREAD] = value;
  REX_SYNC();
  for (int half = REX_THREADS / 2; half > 0; half /= 2) {
    if ((int)REX_THREAD < half)
      shared[REX_THREAD] += shared[REX_THREAD + half];
    REX_SYNC();
  }
  if (REX_THREAD == 0)
    results[REX_BLOCK] = shared[0];
}

#define REX_REDUCTION(type)                                                                                           \
  static REX_SHARED type rex_shared_##type[1024];                                                                     \
  static inline void xomp_inner_block_reduction_##type(type value, type *results, int) {                              \
    rex_block_sum<type>(value, results, rex_shared_##type);                                                           \
  }
REX_REDUCTION(int)
REX_REDUCTION(float)
REX_REDUCTION(double)

#endif
