// Regions in the form of host code, which code generators other than clang may write: clauses that are pushed before a
// region, __kmpc_fork_call, regions of one thread between two calls.
#include "check.h"

#ifdef __NVPTX__
typedef void (*Code)(int *, int *, ...);
void __kmpc_push_num_threads(void *at, int thread, int threads);
void __kmpc_push_num_threads_strict(void *at, int thread, int threads, int severity, const char *message);
void __kmpc_fork_call(void *at, int count, Code code, ...);
void __kmpc_fork_call_if(void *at, int count, Code code, int condition, void *arg);
void __kmpc_serialized_parallel(void *at, int thread);
void __kmpc_end_serialized_parallel(void *at, int thread);
void __kmpc_set_thread_limit(void *at, int thread, int limit);
#define DEVICE 1
#else
// What the host version does is not tested.
#define __kmpc_push_num_threads(...) (void)0
#define __kmpc_push_num_threads_strict(...) (void)0
#define __kmpc_fork_call(...) (void)0
#define __kmpc_fork_call_if(...) (void)0
#define __kmpc_serialized_parallel(...) (void)0
#define __kmpc_end_serialized_parallel(...) (void)0
#define __kmpc_set_thread_limit(...) (void)0
#define DEVICE 0
#endif

enum { THREADS = 64 };

typedef struct {
  int pushed, once, clause, strict, nested, device;
} Pushes;

typedef struct {
  int ran, size, wrong, after, alone;
} Forks;

#pragma omp begin declare target
static void forked(int *thread, int *bound, Forks *forks, int *factor, long value) {
  (void)bound;
#pragma omp atomic
  forks->ran += *factor * (int)value;
  forks->size = omp_get_num_threads();
  if (*thread != omp_get_thread_num() || omp_get_level() != 1)
#pragma omp atomic
    forks->wrong += 1;
}

static void once(int *thread, int *bound, Forks *forks) {
  (void)thread, (void)bound;
#pragma omp atomic
  forks->alone += 1;
  if (omp_get_num_threads() != 1 || omp_get_thread_num() != 0 || omp_get_level() != 1)
    forks->wrong += 1;
}

// The code of a region is a function of its own: openmp-opt asks for the level once in each function.
__attribute__((noinline)) static int level_1(void) { return omp_get_level() == 1 && omp_get_num_threads() == 1; }
#pragma omp end declare target

#define COUNT(n)                                                                                                       \
  _Pragma("omp atomic") n += 1;

int main(void) {
  Pushes pushes = {0};
#pragma omp target map(tofrom : pushes) thread_limit(THREADS + 32)
  {
    pushes.device = DEVICE;
    __kmpc_set_thread_limit(0, 0, 3);
    __kmpc_push_num_threads(0, 0, 5);
#pragma omp parallel
    COUNT(pushes.pushed)
#pragma omp parallel num_threads(THREADS)
    COUNT(pushes.once)
    __kmpc_push_num_threads(0, 0, 5);
#pragma omp parallel num_threads(9)
    COUNT(pushes.clause)
    __kmpc_push_num_threads_strict(0, 0, 33, 2, "not so many");
#pragma omp parallel
    {
      COUNT(pushes.strict)
      __kmpc_push_num_threads(0, 0, 1);
#pragma omp parallel
      COUNT(pushes.nested)
    }
  }
  if (!pushes.device)
    pushes = (Pushes){5, THREADS, 9, 33, 33, 0};
  CHECK("push", pushes.pushed, 5);
  CHECK("push: for one region", pushes.once, THREADS);
  CHECK("push: a clause comes first", pushes.clause, 9);
  CHECK("push: strict", pushes.strict, 33);
  CHECK("push: inside a region", pushes.nested, 33);

  Forks forks = {0};
  int device = 0;
#pragma omp target map(tofrom : forks, device)
  {
    int factor = 2;
    device = DEVICE;
    __kmpc_push_num_threads(0, 0, 4);
    __kmpc_fork_call(0, 3, (Code)forked, &forks, &factor, 10L);
    forks.after = omp_get_level() == 0 && omp_get_num_threads() == 1;
    __kmpc_fork_call_if(0, 1, (Code)once, 0, &forks);
    __kmpc_push_num_threads(0, 0, 1);
    __kmpc_fork_call_if(0, 1, (Code)once, 1, &forks);
    __kmpc_serialized_parallel(0, 0);
    forks.alone += 10 * level_1();
    __kmpc_end_serialized_parallel(0, 0);
    forks.after += omp_get_level() == 0;
  }
  if (!device)
    forks = (Forks){20, 1, 0, 2, 12};
  // Where the compiler has taken the runtime's worker loop, the team has one thread.
  CHECK_THAT("fork: size of the team", forks.size == 1 || forks.size == 4);
#ifdef ACTIVE
  CHECK_THAT("fork: all threads", !device || forks.size == 4);
#endif
  CHECK_THAT("fork: every thread once", forks.ran == 20 * forks.size);
  CHECK("fork: threads, levels", forks.wrong, 0);
  CHECK("fork: behind regions", forks.after, 2);
  CHECK("fork: regions of one thread", forks.alone, 12);
  return finish();
}
