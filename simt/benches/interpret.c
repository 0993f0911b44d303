/* The kernels of interpret.rs. interpret.ptx was made from this file by
 *   clang-22 --target=nvptx64-nvidia-cuda -march=sm_75 -Xclang -target-feature -Xclang +ptx63 -O2 -S -o interpret.ptx interpret.c
 */
#define KERNEL __attribute__((device_kernel))
#define SHARED static __attribute__((address_space(3)))

static unsigned thread(void) { return __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x(); }
static unsigned threads(void) { return __nvvm_read_ptx_sreg_nctaid_x() * __nvvm_read_ptx_sreg_ntid_x(); }

/* Memory and address arithmetic. */
KERNEL void saxpy(long n, float a, const float *x, float *y) {
#pragma clang loop unroll(disable)
  for (long i = thread(); i < n; i += threads())
    y[i] += a * x[i];
}

SHARED double partial[32];

/* Warp shuffles, shared memory, barriers. */
KERNEL void reduce(long n, const double *x, double *sums) {
  double sum = 0;
#pragma clang loop unroll(disable)
  for (long i = thread(); i < n; i += threads())
    sum += x[i];
  for (int distance = 16; distance > 0; distance /= 2) {
    union { double d; unsigned u[2]; } own = {sum}, other;
    other.u[0] = __nvvm_shfl_sync_down_i32(-1, own.u[0], distance, 31);
    other.u[1] = __nvvm_shfl_sync_down_i32(-1, own.u[1], distance, 31);
    sum += other.d;
  }
  unsigned me = __nvvm_read_ptx_sreg_tid_x();
  if (me % 32 == 0)
    partial[me / 32] = sum;
  __syncthreads();
  for (unsigned step = 16; step > 0; step /= 2) {
    if (me < step && me + step < (__nvvm_read_ptx_sreg_ntid_x() + 31) / 32)
      partial[me] += partial[me + step];
    __syncthreads();
  }
  if (me == 0)
    sums[__nvvm_read_ptx_sreg_ctaid_x()] = partial[0];
}

/* Floating point in a loop whose lanes leave one by one. */
KERNEL void mandelbrot(unsigned width, unsigned limit, unsigned *counts) {
  unsigned me = thread();
  double cx = -2.0 + 3.0 * (me % width) / width, cy = -1.5 + 3.0 * (me / width) / width;
  double x = 0, y = 0;
  unsigned count = 0;
#pragma clang loop unroll(disable)
  while (count < limit && x * x + y * y <= 4.0) {
    double next = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = next;
    count++;
  }
  counts[me] = count;
}

/* The matrix of the five-point Laplacian in compressed rows, times a vector: reads through an index. */
KERNEL void spmv(long rows, const int *start, const int *column, const double *value, const double *x, double *y) {
  for (long row = thread(); row < rows; row += threads()) {
    double sum = 0;
    int end = start[row + 1];
#pragma clang loop unroll(disable)
    for (int k = start[row]; k < end; k++)
      sum += value[k] * x[column[k]];
    y[row] = sum;
  }
}

/* The inner product of each block's part. */
KERNEL void dot(long n, const double *x, const double *y, double *sum) {
  double own = 0;
#pragma clang loop unroll(disable)
  for (long i = thread(); i < n; i += threads())
    own += x[i] * y[i];
  __nvvm_atom_add_gen_d(sum, own);
}

/* y = x * a + y * b */
KERNEL void axpby(long n, double a, const double *x, double b, double *y) {
#pragma clang loop unroll(disable)
  for (long i = thread(); i < n; i += threads())
    y[i] = a * x[i] + b * y[i];
}

/* All threads, those of one warp too, take one lock after the other. */
KERNEL void spinlock(unsigned rounds, int *lock, unsigned *count) {
#pragma clang loop unroll(disable)
  for (unsigned round = 0; round < rounds; round++) {
    while (__nvvm_atom_cas_gen_i(lock, 0, 1) != 0)
      ;
    __nvvm_membar_gl();
    *(volatile unsigned *)count += 1;
    __nvvm_membar_gl();
    __nvvm_atom_xchg_gen_i(lock, 0);
  }
}

typedef void (*Region)(unsigned *);
static __attribute__((noinline)) void even(unsigned *mine) { *mine += 1; }
static __attribute__((noinline)) void odd(unsigned *mine) { *mine += 2; }
static volatile Region SHARED_REGION __attribute__((address_space(3)));

/* What a generic kernel does for parallel regions: the main thread hands a function to all that wait at a barrier. */
KERNEL void regions(unsigned count, unsigned *out) {
  unsigned me = __nvvm_read_ptx_sreg_tid_x();
  if (me == 0) {
#pragma clang loop unroll(disable)
    for (unsigned region = 0; region < count; region++) {
      SHARED_REGION = region % 2 ? odd : even;
      __nvvm_barrier_sync(1);
      SHARED_REGION(&out[thread()]);
      __nvvm_barrier_sync(1);
    }
    SHARED_REGION = 0;
    __nvvm_barrier_sync(1);
    return;
  }
  for (;;) {
    __nvvm_barrier_sync(1);
    Region work = SHARED_REGION;
    if (!work)
      return;
    work(&out[thread()]);
    __nvvm_barrier_sync(1);
  }
}
