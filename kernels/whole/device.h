/* For kernels in CUDA that clang compiles with -foffload-via-llvm, without NVIDIA's headers. The host's half is compiled
   too, and never run. */
#ifndef DEVICE_H
#define DEVICE_H

#ifdef __NVPTX__
#define THREAD ((int)__nvvm_read_ptx_sreg_tid_x())
#define THREADS ((int)__nvvm_read_ptx_sreg_ntid_x())
#define BLOCK ((int)__nvvm_read_ptx_sreg_ctaid_x())
#define BLOCK_Y ((int)__nvvm_read_ptx_sreg_ctaid_y())
#define BLOCKS ((int)__nvvm_read_ptx_sreg_nctaid_x())
#define SYNC() __nvvm_bar_sync(0)
#define SHUFFLE_DOWN(value, by) __nvvm_shfl_sync_down_i32(0xffffffff, value, by, 31)
#else
#define THREAD 0
#define THREADS 1
#define BLOCK 0
#define BLOCK_Y 0
#define BLOCKS 1
#define SYNC()
#define SHUFFLE_DOWN(value, by) (value)
#endif
#define POSITION ((long)BLOCK * THREADS + THREAD)

enum { WIDTH = 256 /* threads of a block */, PARTS = 1024 /* most blocks of a reduction */ };

static inline int blocks(long elements) { return (int)((elements + WIDTH - 1) / WIDTH); }

/* The sum of a warp's values, in its first lane. */
__device__ static inline double warp_sum(double value) {
  for (int by = 16; by > 0; by /= 2) {
    long bits = __builtin_bit_cast(long, value);
    unsigned low = SHUFFLE_DOWN((int)bits, by), high = SHUFFLE_DOWN((int)(bits >> 32), by);
    value += __builtin_bit_cast(double, (long)high << 32 | low);
  }
  return value;
}

/* parts[block] becomes the sum of its threads' values. */
__device__ static inline void block_sum(double value, double *parts) {
  __shared__ double warps[WIDTH / 32];
  value = warp_sum(value);
  if (THREAD % 32 == 0)
    warps[THREAD / 32] = value;
  SYNC();
  if (THREAD < 32) {
    value = warp_sum(THREAD < WIDTH / 32 ? warps[THREAD] : 0);
    if (THREAD == 0)
      parts[BLOCK] = value;
  }
}

__global__ void dot_kernel(long n, const double *a, const double *b, double *parts) {
  double sum = 0;
  for (long i = POSITION; i < n; i += (long)BLOCKS * THREADS)
    sum += a[i] * b[i];
  block_sum(sum, parts);
}

/* The scalar product, its last step on the host. */
__attribute__((unused)) static double dot(long n, const double *a, const double *b) {
  static double *parts, on_this_side[PARTS];
  if (!parts)
    parts = (double *)on_device(sizeof on_this_side);
  int used = blocks(n) < PARTS ? blocks(n) : PARTS;
  dot_kernel<<<used, WIDTH>>>(n, a, b, parts);
  from_device(on_this_side, parts, sizeof on_this_side);
  double sum = 0;
  for (int i = 0; i < used; ++i)
    sum += on_this_side[i];
  return sum;
}

#endif
