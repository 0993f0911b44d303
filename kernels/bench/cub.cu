// The reductions by CUB's DeviceReduce, for nvcc: the only bench that needs NVIDIA's toolkit, and so is compiled on the machine
// with the GPU. Figures have the names of their counterparts in OpenMP.
#include "reductions_cuda.h"
#include <cub/device/device_reduce.cuh>

static void check(cudaError_t error) {
  if (error != cudaSuccess) {
    fprintf(stderr, "%s\n", cudaGetErrorString(error));
    exit(2);
  }
}

static long multiprocessors(void) {
  int count = 0;
  check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0));
  return count;
}

template <typename R> __global__ void fill(typename R::Value *x, long n, uint32_t key) {
  for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < n; i += (long)gridDim.x * blockDim.x)
    R::input(x + i, key, i);
}

template <typename T> static T *device_memory(size_t count) {
  void *memory;
  check(cudaMalloc(&memory, count * sizeof(T)));
  check(cudaMemset(memory, 0xff, count * sizeof(T)));
  return (T *)memory;
}

template <typename R> static void time_reduction(long n) {
  typedef typename R::Value T;
  long count = windows(n);
  T *data = device_memory<T>(count * n), *result = device_memory<T>(1);
  typename R::Wide *right = (typename R::Wide *)checked(malloc(count * sizeof *right));
  for (long window = 0; window < count; ++window) {
    uint32_t key = hash(seed + window);
    fill<R><<<2048, 256>>>(data + window * n, n, key);
    check(cudaGetLastError());
    right[window] = right_result<R>(key, n);
  }
  T start;
  R::start(&start);
  size_t bytes = 0;
  check(cub::DeviceReduce::Reduce(NULL, bytes, data, result, n, R(), start));
  char *scratch = device_memory<char>(bytes);
  check(cudaDeviceSynchronize());
  double values[MAX_SAMPLES];
  long mistakes = 0;
  for (long sample = -1; sample < samples; ++sample) { // the first is not counted
    long window = (sample + count) % count;
    T value;
    double begin = seconds();
    check(cub::DeviceReduce::Reduce(scratch, bytes, data + window * n, result, n, R(), start));
    check(cudaMemcpy(&value, result, sizeof value, cudaMemcpyDeviceToHost));
    if (sample >= 0)
      values[sample] = seconds() - begin;
    mistakes += !R::same(&value, right + window);
  }
  report<R>(n, mistakes, values);
  check(cudaFree(data)), check(cudaFree(result)), check(cudaFree(scratch));
  free(right);
}

int main(int argc, char **argv) {
  read_options(argc, argv);
  time_reductions();
  return 0;
}
