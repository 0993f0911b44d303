/* The three constructs that REX lowers to a launch without a loop: target, target teams, target parallel, the last also
   with a loop inside. Grid and block arrive as they are passed: each region also asks for them, and so the output depends
   on the kind of device. */
#include "rex_kmp.h"

char OUT__1__1__main__21__id__ = 0;
char OUT__2__1__main__28__id__ = 0;
char OUT__3__1__main__34__id__ = 0;
char OUT__4__1__main__41__id__ = 0;
REX_ENTRY struct __tgt_offload_entry OUT__1__1__main__21__entry__ = {(void *)&OUT__1__1__main__21__id__,
                                                                     "OUT__1__1__main__21__kernel__", 0, 0, 0};
REX_ENTRY struct __tgt_offload_entry OUT__2__1__main__28__entry__ = {(void *)&OUT__2__1__main__28__id__,
                                                                     "OUT__2__1__main__28__kernel__", 0, 0, 0};
REX_ENTRY struct __tgt_offload_entry OUT__3__1__main__34__entry__ = {(void *)&OUT__3__1__main__34__id__,
                                                                     "OUT__3__1__main__34__kernel__", 0, 0, 0};
REX_ENTRY struct __tgt_offload_entry OUT__4__1__main__41__entry__ = {(void *)&OUT__4__1__main__41__id__,
                                                                     "OUT__4__1__main__41__kernel__", 0, 0, 0};

int main(void) {
  rex_offload_init();
  int a[8] = {8, 7, 6, 5, 4, 3, 2, 1}, n = 8;
  /* target map(tofrom: a) map(to: n): reverses the array */
  {
    int _threads_per_block_ = 1, _num_blocks_ = 1;
    int64_t __device_id = -1;
    void *__host_ptr = (void *)&OUT__1__1__main__21__id__;
    void *__args_base[] = {a, &n}, *__args[] = {a, &n};
    int64_t __arg_sizes[] = {sizeof a, sizeof n}, __arg_types[] = {35, 33};
    struct __tgt_kernel_arguments __kernel_args = {
        3, 2, __args_base, __args, __arg_sizes, __arg_types, 0, 0, 0, 0, {_num_blocks_, 1, 1}, {_threads_per_block_, 1, 1}, 0};
    int rc = __tgt_target_kernel(__device_id, _num_blocks_, _threads_per_block_, __host_ptr, &__kernel_args);
    printf("target: %d, %d to %d\n", rc, a[0], a[7]);
  }
  /* target teams num_teams(4) map(from: a) */
  {
    int _threads_per_block_ = 1, _num_blocks_ = 4;
    int64_t __device_id = -1;
    void *__host_ptr = (void *)&OUT__2__1__main__28__id__;
    void *__args_base[] = {a}, *__args[] = {a};
    int64_t __arg_sizes[] = {sizeof a}, __arg_types[] = {34};
    struct __tgt_kernel_arguments __kernel_args = {
        3, 1, __args_base, __args, __arg_sizes, __arg_types, 0, 0, 0, 0, {_num_blocks_, 1, 1}, {_threads_per_block_, 1, 1}, 0};
    int rc = __tgt_target_kernel(__device_id, _num_blocks_, _threads_per_block_, __host_ptr, &__kernel_args);
    printf("teams: %d, %d %d %d %d\n", rc, a[0], a[1], a[6], a[7]);
  }
  /* target parallel num_threads(6) map(tofrom: a) */
  {
    int _threads_per_block_ = 6, _num_blocks_ = 1;
    int64_t __device_id = -1;
    void *__host_ptr = (void *)&OUT__3__1__main__34__id__;
    void *__args_base[] = {a}, *__args[] = {a};
    int64_t __arg_sizes[] = {sizeof a}, __arg_types[] = {35};
    struct __tgt_kernel_arguments __kernel_args = {
        3, 1, __args_base, __args, __arg_sizes, __arg_types, 0, 0, 0, 0, {_num_blocks_, 1, 1}, {_threads_per_block_, 1, 1}, 0};
    int rc = __tgt_target_kernel(__device_id, _num_blocks_, _threads_per_block_, __host_ptr, &__kernel_args);
    printf("parallel: %d, %d %d %d\n", rc, a[0], a[5], a[7]);
  }
  /* target parallel num_threads(4) map(from: sums) with a loop in the body */
  {
    int sums[4] = {0};
    int _threads_per_block_ = 4, _num_blocks_ = 1;
    int64_t __device_id = 0;
    void *__host_ptr = (void *)&OUT__4__1__main__41__id__;
    void *__args_base[] = {sums}, *__args[] = {sums};
    int64_t __arg_sizes[] = {sizeof sums}, __arg_types[] = {34};
    struct __tgt_kernel_arguments __kernel_args = {
        3, 1, __args_base, __args, __arg_sizes, __arg_types, 0, 0, 0, 0, {_num_blocks_, 1, 1}, {_threads_per_block_, 1, 1}, 0};
    int rc = __tgt_target_kernel(__device_id, _num_blocks_, _threads_per_block_, __host_ptr, &__kernel_args);
    printf("loop: %d, %d %d %d %d\n", rc, sums[0], sums[1], sums[2], sums[3]);
  }
  return 0;
}
