// lastprivate takes the sequentially last iteration, wherever the loop begins and however its chunks fall.
#include "../features/check.h"
#include <stdint.h>

#pragma omp begin declare target
#ifdef __NVPTX__
extern void __kmpc_for_static_init_4(void *, int32_t, int32_t, int32_t *, int32_t *, int32_t *, int32_t *, int32_t,
                                     int32_t);
#endif
#pragma omp end declare target

// What `for` asks for when its loop does not begin at 0, as in a chunk of `distribute`: whether the thread that has the
// last iteration, and no other, is told so.
static int last_flags(int from, int n, int kind, int chunk) {
  int wrong = 0;
#pragma omp target parallel num_threads(64) map(tofrom : wrong)
  {
    int32_t last = 0, lower = from, upper = from + n - 1, stride = 1, has = 0;
    (void)from, (void)n, (void)kind, (void)chunk; // for the host's version of this region to take them too
#ifdef __NVPTX__
    __kmpc_for_static_init_4(0, omp_get_thread_num(), kind, &last, &lower, &upper, &stride, 1, chunk);
    for (; lower <= from + n - 1; lower += stride, upper += stride)
      has |= from + n - 1 <= upper;
#endif
    if (last != has)
#pragma omp atomic
      wrong += 1;
  }
  return wrong;
}

#define LOOP(clause)                                                                                                   \
  do {                                                                                                                 \
    int wrong = 0, lost = 0;                                                                                           \
    for (int from = -20; from < 30; from += 7)                                                                         \
      for (int n = 1; n < 320; n += 53) {                                                                              \
        int last = -1, sum = 0;                                                                                        \
        _Pragma("omp target map(tofrom : last, sum)")                                                                  \
        PRAGMA(omp parallel for num_threads(64) lastprivate(last) reduction(+ : sum) clause)                           \
        for (int i = from; i < from + n; ++i) {                                                                        \
          last = i * 7;                                                                                                \
          sum += 1;                                                                                                    \
        }                                                                                                              \
        wrong += last != (from + n - 1) * 7;                                                                           \
        lost += sum != n;                                                                                              \
        last = -1;                                                                                                     \
        _Pragma("omp target map(tofrom : last)")                                                                       \
        PRAGMA(omp parallel for num_threads(64) lastprivate(last) clause)                                              \
        for (int i = from + n; i > from; i -= 2)                                                                       \
          last = i;                                                                                                    \
        wrong += last != from + n - (n - 1) / 2 * 2;                                                                   \
      }                                                                                                                \
    CHECK(#clause ": last values", wrong, 0);                                                                          \
    CHECK(#clause ": iterations", lost, 0);                                                                            \
  } while (0)

int main(void) {
  LOOP(schedule(static));
  LOOP(schedule(static, 1));
  LOOP(schedule(static, 3));
  LOOP(schedule(static, 64));
  LOOP(schedule(simd : static, 5));
  enum { CHUNKED = 33, BALANCED = 45 };
  int chunked = 0, balanced = 0;
  for (int from = 0; from < 40; from += 11)
    for (int n = 1; n < 300; n += 29) {
      chunked += last_flags(from, n, CHUNKED, 3);
      balanced += last_flags(from, n, BALANCED, 5);
    }
  CHECK("chunks: threads that are told wrongly", chunked, 0);
  CHECK("balanced chunks: threads that are told wrongly", balanced, 0);
  return finish();
}
