/* Registration from several threads, each of which then launches with map arrays that are made in two passes. */
#include "rex_kmp.h"
#include <pthread.h>

char OUT__1__3__work__8__id__ = 0;
REX_ENTRY struct __tgt_offload_entry OUT__1__3__work__8__entry__ = {(void *)&OUT__1__3__work__8__id__,
                                                                    "OUT__1__3__work__8__kernel__", 0, 0, 0};

enum { THREADS = 8, PARTS = 5 };
static int parts[THREADS][PARTS];
static int failures;

static void *work(void *argument) {
  int *part = argument;
  rex_offload_init();
  /* as for a mapper: the first pass counts the entries, the second fills them in */
  int __arg_num = 0, pass;
  void **__args_base = 0, **__args = 0;
  int64_t *__arg_sizes = 0, *__arg_types = 0;
  for (pass = 0; pass < 2; pass++) {
    int index = 0;
    for (int i = 0; i < PARTS; i++, index++) {
      if (pass == 1) {
        __args_base[index] = &part[i];
        __args[index] = &part[i];
        __arg_sizes[index] = sizeof part[i];
        __arg_types[index] = 35;
      }
    }
    if (pass == 0) {
      __arg_num = index;
      __args_base = malloc(__arg_num * sizeof *__args_base);
      __args = malloc(__arg_num * sizeof *__args);
      __arg_sizes = malloc(__arg_num * sizeof *__arg_sizes);
      __arg_types = malloc(__arg_num * sizeof *__arg_types);
    }
  }
  int _threads_per_block_ = 1, _num_blocks_ = 1;
  int64_t __device_id = -1;
  void *__host_ptr = (void *)&OUT__1__3__work__8__id__;
  struct __tgt_kernel_arguments __kernel_args = {
      3, __arg_num, __args_base, __args, __arg_sizes, __arg_types, 0, 0, 0, 0, {_num_blocks_, 1, 1}, {_threads_per_block_, 1, 1}, 0};
  int rc = __tgt_target_kernel(__device_id, _num_blocks_, _threads_per_block_, __host_ptr, &__kernel_args);
  free(__args_base);
  free(__args);
  free(__arg_sizes);
  free(__arg_types);
  for (int i = 0; i < PARTS; i++)
    __atomic_fetch_add(&failures, rc != 0 || part[i] != i + 1 + 10 * i, __ATOMIC_RELAXED);
  return 0;
}

int main(void) {
  pthread_t threads[THREADS];
  for (int thread = 0; thread < THREADS; thread++) {
    for (int i = 0; i < PARTS; i++)
      parts[thread][i] = i + 1;
    pthread_create(&threads[thread], 0, work, parts[thread]);
  }
  for (int thread = 0; thread < THREADS; thread++)
    pthread_join(threads[thread], 0);
  printf("failures: %d\n", failures);
  return failures;
}
