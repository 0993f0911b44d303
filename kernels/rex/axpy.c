/* axpy with the round-robin schedule of the device functions, and a sum by blocks. */
#include "rex_kmp.h"

char OUT__1__4__main__9__id__ = 0;
char OUT__2__4__main__19__id__ = 0;
REX_ENTRY struct __tgt_offload_entry OUT__1__4__main__9__entry__ = {(void *)&OUT__1__4__main__9__id__,
                                                                    "OUT__1__4__main__9__kernel__", 0, 0, 0};
REX_ENTRY struct __tgt_offload_entry OUT__2__4__main__19__entry__ = {(void *)&OUT__2__4__main__19__id__,
                                                                     "OUT__2__4__main__19__kernel__", 0, 0, 0};

enum { N = 1000, BLOCKS = 4, THREADS = 64 };

int main(void) {
  rex_offload_init();
  float x[N], y[N], a = 2, f[BLOCKS] = {0};
  double d[BLOCKS] = {0};
  int n = N, i[BLOCKS] = {0};
  for (int k = 0; k < N; k++) {
    x[k] = k;
    y[k] = 1;
  }
  {
    int _threads_per_block_ = THREADS, _num_blocks_ = BLOCKS;
    int64_t __device_id = -1;
    void *__host_ptr = (void *)&OUT__1__4__main__9__id__;
    void *__args_base[] = {x, y, &n, &a}, *__args[] = {x, y, &n, &a};
    int64_t __arg_sizes[] = {sizeof x, sizeof y, sizeof n, sizeof a}, __arg_types[] = {33, 35, 33, 33};
    struct __tgt_kernel_arguments __kernel_args = {
        3, 4, __args_base, __args, __arg_sizes, __arg_types, 0, 0, 0, 0, {_num_blocks_, 1, 1}, {_threads_per_block_, 1, 1}, 0};
    int rc = __tgt_target_kernel(__device_id, _num_blocks_, _threads_per_block_, __host_ptr, &__kernel_args);
    int wrong = 0;
    for (int k = 0; k < N; k++)
      wrong += y[k] != 2 * k + 1;
    printf("axpy: %d, wrong: %d\n", rc, wrong);
  }
  {
    int _threads_per_block_ = THREADS, _num_blocks_ = BLOCKS;
    int64_t __device_id = -1;
    void *__host_ptr = (void *)&OUT__2__4__main__19__id__;
    void *__args_base[] = {y, &n, i, f, d}, *__args[] = {y, &n, i, f, d};
    int64_t __arg_sizes[] = {sizeof y, sizeof n, sizeof i, sizeof f, sizeof d}, __arg_types[] = {33, 33, 35, 35, 35};
    struct __tgt_kernel_arguments __kernel_args = {
        3, 5, __args_base, __args, __arg_sizes, __arg_types, 0, 0, 0, 0, {_num_blocks_, 1, 1}, {_threads_per_block_, 1, 1}, 0};
    int rc = __tgt_target_kernel(__device_id, _num_blocks_, _threads_per_block_, __host_ptr, &__kernel_args);
    for (int block = 1; block < BLOCKS; block++) {
      i[0] += i[block];
      f[0] += f[block];
      d[0] += d[block];
    }
    printf("sums: %d, %d %g %g\n", rc, i[0], f[0], d[0]);
  }
  return 0;
}
