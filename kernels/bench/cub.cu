// The reductions by CUB's DeviceReduce, for nvcc: the only bench that needs NVIDIA's toolkit, and so is compiled on the machine
// with the GPU. Figures have the names of their counterparts in OpenMP.
#include "reductions.h"
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

// A reduction: its type, where it starts, what it does with two elements, and its inputs.
#define REDUCTION(NAME, T, START, COMBINE, KIND, WIDE)                                                                 \
  struct NAME {                                                                                                        \
    typedef T Value;                                                                                                   \
    typedef WIDE Wide;                                                                                                 \
    static const char *name() { return #NAME "_teams"; }                                                               \
    template <typename V> static V start() { return V START; }                                                         \
    template <typename V> BOTH V operator()(V a, V b) const {                                                          \
      COMBINE(a, b);                                                                                                   \
      return a;                                                                                                        \
    }                                                                                                                  \
    BOTH static Wide input(uint32_t key, long i) { return input_##KIND(key, i); }                                      \
    static bool same(Value result, Wide right) { return same_##KIND(result, right); }                                  \
  };
REDUCTION(int_sum, int, {0}, ADD, int, int)
REDUCTION(int_min, int, {1000}, TAKE_LESS, int, int)
REDUCTION(float_sum, float, {0}, ADD, float, double)
REDUCTION(float_max, float, {-1}, TAKE_MORE, float, double)
REDUCTION(double_sum, double, {0}, ADD, double, double)
REDUCTION(double_min, double, {2}, TAKE_LESS, double, double)
REDUCTION(double_max, double, {-1}, TAKE_MORE, double, double)
#define ZERO {0, 0}
#define NOWHERE {-1, -1}
REDUCTION(complex_sum, Complex, ZERO, ADD_COMPLEX, complex, Complex)
REDUCTION(place_of_max, Place, NOWHERE, TAKE_PLACE, place, Place)

template <typename R> __global__ void fill(typename R::Value *x, long n, uint32_t key) {
  for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < n; i += (long)gridDim.x * blockDim.x)
    x[i] = R::input(key, i);
}

template <typename T> static T *device_memory(size_t count) {
  void *memory;
  check(cudaMalloc(&memory, count * sizeof(T)));
  check(cudaMemset(memory, 0xff, count * sizeof(T)));
  return (T *)memory;
}

template <typename R> static void time_reduction(long n) {
  typedef typename R::Value T;
  typedef typename R::Wide Wide;
  long count = windows(n);
  T *data = device_memory<T>(count * n), *result = device_memory<T>(1);
  Wide *right = (Wide *)checked(malloc(count * sizeof *right));
  for (long window = 0; window < count; ++window) {
    uint32_t key = hash(seed + window);
    fill<R><<<2048, 256>>>(data + window * n, n, key);
    check(cudaGetLastError());
    Wide whole = R::template start<Wide>(), all = whole;
    for (long i = 0; i < n && i < PERIOD; ++i) {
      if (i < n % PERIOD)
        all = R()(all, R::input(key, i));
      whole = R()(whole, R::input(key, i));
    }
    for (long period = 0; period < n / PERIOD; ++period)
      all = R()(all, whole);
    right[window] = all;
  }
  size_t bytes = 0;
  check(cub::DeviceReduce::Reduce(NULL, bytes, data, result, n, R(), R::template start<T>()));
  char *scratch = device_memory<char>(bytes);
  check(cudaDeviceSynchronize());
  double values[MAX_SAMPLES];
  long mistakes = 0;
  for (long sample = -1; sample < samples; ++sample) { // the first is not counted
    long window = (sample + count) % count;
    T value;
    double start = seconds();
    check(cub::DeviceReduce::Reduce(scratch, bytes, data + window * n, result, n, R(), R::template start<T>()));
    check(cudaMemcpy(&value, result, sizeof value, cudaMemcpyDeviceToHost));
    if (sample >= 0)
      values[sample] = seconds() - start;
    mistakes += !R::same(value, right[window]);
  }
  char parameters[40];
  snprintf(parameters, sizeof parameters, "elements=%ld", n);
  if (mistakes)
    print_wrong("reductions", R::name(), parameters, "the result is not that of the host");
  else
    print_figure("reductions", R::name(), parameters, "seconds", samples, values);
  check(cudaFree(data)), check(cudaFree(result)), check(cudaFree(scratch));
  free(right);
}

int main(int argc, char **argv) {
  read_options(argc, argv);
  for (int i = 0; i < sizes_list.count; ++i) {
    long n = (long)atof(sizes_list.words[i]);
    if (n < 1)
      usage(sizes_list.words[i]);
    time_reduction<int_sum>(n), time_reduction<int_min>(n), time_reduction<float_sum>(n);
    time_reduction<float_max>(n), time_reduction<double_sum>(n), time_reduction<double_min>(n);
    time_reduction<double_max>(n), time_reduction<complex_sum>(n), time_reduction<place_of_max>(n);
  }
  return 0;
}
