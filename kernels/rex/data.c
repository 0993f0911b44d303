/* target data with two kernels and an update between them, by the calls without mappers; the kernels get their arrays as
   implicit pointers of size 0 into what is mapped, and literals of three types in the slots of pointers. */
#include "rex_kmp.h"
#include <string.h>

char OUT__1__2__main__10__id__ = 0;
char OUT__2__2__main__20__id__ = 0;
REX_ENTRY struct __tgt_offload_entry OUT__1__2__main__10__entry__ = {(void *)&OUT__1__2__main__10__id__,
                                                                     "OUT__1__2__main__10__kernel__", 0, 0, 0};
REX_ENTRY struct __tgt_offload_entry OUT__2__2__main__20__entry__ = {(void *)&OUT__2__2__main__20__id__,
                                                                     "OUT__2__2__main__20__kernel__", 0, 0, 0};

enum { N = 100 };

int main(void) {
  rex_offload_init();
  double x[N], y[N];
  for (int i = 0; i < N; i++) {
    x[i] = i;
    y[i] = 1;
  }
  /* target data map(to: x) map(tofrom: y) */
  void *__data_base[] = {x, y}, *__data_args[] = {x, y};
  int64_t __data_sizes[] = {sizeof x, sizeof y}, __data_types[] = {33, 35};
  __tgt_target_data_begin(-1, 2, __data_base, __data_args, __data_sizes, __data_types);
  x[0] = -1; /* of the host alone */
  {
    int _threads_per_block_ = 32, _num_blocks_ = 2, count = N;
    float factor = 0.5f;
    double shift = 0.25;
    void *slots[3] = {0};
    memcpy(&slots[0], &count, sizeof count);
    memcpy(&slots[1], &factor, sizeof factor);
    memcpy(&slots[2], &shift, sizeof shift);
    int64_t __device_id = -1;
    void *__host_ptr = (void *)&OUT__1__2__main__10__id__;
    void *__args_base[] = {x, y, slots[0], slots[1], slots[2]}, *__args[] = {x, y, slots[0], slots[1], slots[2]};
    int64_t __arg_sizes[] = {0, 0, sizeof count, sizeof factor, sizeof shift};
    int64_t __arg_types[] = {544, 544, 288, 288, 288};
    struct __tgt_kernel_arguments __kernel_args = {
        3, 5, __args_base, __args, __arg_sizes, __arg_types, 0, 0, 0, 0, {_num_blocks_, 1, 1}, {_threads_per_block_, 1, 1}, 0};
    int rc = __tgt_target_kernel(__device_id, _num_blocks_, _threads_per_block_, __host_ptr, &__kernel_args);
    printf("first: %d, %g on the host\n", rc, y[99]);
  }
  /* target update from(y[90:10]), then to(x[0:1]) */
  void *__from[] = {&y[90]}, *__to[] = {&x[0]}, *__from_base[] = {y}, *__to_base[] = {x};
  int64_t __from_sizes[] = {10 * sizeof *y}, __from_types[] = {34}, __to_sizes[] = {sizeof *x}, __to_types[] = {33};
  __tgt_target_data_update(-1, 1, __from_base, __from, __from_sizes, __from_types);
  printf("update: %g %g %g\n", y[89], y[90], y[99]);
  __tgt_target_data_update(-1, 1, __to_base, __to, __to_sizes, __to_types);
  {
    int _threads_per_block_ = 1, _num_blocks_ = 1;
    int64_t __device_id = -1;
    void *__host_ptr = (void *)&OUT__2__2__main__20__id__;
    /* a pointer into the middle of a mapping */
    void *__args_base[] = {x, &y[50]}, *__args[] = {x, &y[50]};
    int64_t __arg_sizes[] = {0, 0}, __arg_types[] = {544, 544};
    struct __tgt_kernel_arguments __kernel_args = {
        3, 2, __args_base, __args, __arg_sizes, __arg_types, 0, 0, 0, 0, {_num_blocks_, 1, 1}, {_threads_per_block_, 1, 1}, 0};
    int rc = __tgt_target_kernel(__device_id, _num_blocks_, _threads_per_block_, __host_ptr, &__kernel_args);
    printf("second: %d\n", rc);
  }
  __tgt_target_data_end(-1, 2, __data_base, __data_args, __data_sizes, __data_types);
  printf("end: %g %g %g %g\n", y[0], y[49], y[50], y[99]);
  return 0;
}
