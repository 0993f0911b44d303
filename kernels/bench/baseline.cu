// The same in CUDA, for clang's -foffload-via-llvm: barriers, a kernel that does nothing, and reductions in two kernels, by
// blocks and then by one block. Their figures have the names of their counterparts in OpenMP.
#include "reductions_cuda.h"

extern "C" {
void *omp_target_alloc(size_t bytes, int device);
void omp_target_free(void *memory, int device);
int omp_target_memcpy(void *to, const void *from, size_t bytes, size_t to_offset, size_t from_offset, int to_device,
                      int from_device);
int omp_get_initial_device(void);
}

#define DEVICE __attribute__((device)) static inline
#ifdef __NVPTX__
DEVICE uint64_t device_clock() { return __nvvm_read_ptx_sreg_clock64(); }
DEVICE unsigned thread() { return __nvvm_read_ptx_sreg_tid_x(); }
DEVICE unsigned block() { return __nvvm_read_ptx_sreg_ctaid_x(); }
DEVICE unsigned threads() { return __nvvm_read_ptx_sreg_ntid_x(); }
DEVICE unsigned blocks() { return __nvvm_read_ptx_sreg_nctaid_x(); }
DEVICE unsigned processors() { return __nvvm_read_ptx_sreg_nsmid(); }
DEVICE void barrier() { __nvvm_bar_sync(0); }
#else // the host's half is compiled too, and never run
DEVICE uint64_t device_clock() { return 0; }
DEVICE unsigned thread() { return 0; }
DEVICE unsigned block() { return 0; }
DEVICE unsigned threads() { return 0; }
DEVICE unsigned blocks() { return 0; }
DEVICE unsigned processors() { return 0; }
DEVICE void barrier() {}
#endif
#define OPAQUE() __asm__ volatile("" ::: "memory")

static void *device_memory(size_t bytes) { return checked(omp_target_alloc(bytes, 0)); }

static void copy(void *to, const void *from, size_t bytes, bool to_device) {
  int host = omp_get_initial_device();
  if (omp_target_memcpy(to, from, bytes, 0, 0, to_device ? 0 : host, to_device ? host : 0)) {
    fprintf(stderr, "copying %zu bytes failed\n", bytes);
    exit(2);
  }
}

// Memory of the device with one value in each byte.
template <typename T> static T *poisoned(size_t count) {
  void *bytes = checked(malloc(count * sizeof(T)));
  memset(bytes, 0xff, count * sizeof(T));
  T *memory = (T *)device_memory(count * sizeof(T));
  copy(memory, bytes, count * sizeof(T), true);
  free(bytes);
  return memory;
}

template <typename T> static T fetched(const T *memory) {
  T value;
  copy(&value, memory, sizeof value, false);
  return value;
}

__global__ void count_processors(unsigned *count) { *count = processors(); }

static long multiprocessors(void) {
  unsigned *count = poisoned<unsigned>(1);
  count_processors<<<1, 1>>>(count);
  long value = fetched(count);
  omp_target_free(count, 0);
  return value;
}

// Shows that it is a barrier, then times it.
template <bool BARRIER> __global__ void barriers(long repeats, uint32_t key, uint64_t *cycles, uint32_t *slots, int *wrong) {
  uint32_t *mine = slots + block() * threads();
  for (uint32_t round = 0; BARRIER && round < 4; ++round) {
    mine[thread()] = hash(key + round * 1024 + thread());
    barrier();
    uint32_t neighbour = (thread() + 33) % threads();
    if (*(volatile uint32_t *)(mine + neighbour) != hash(key + round * 1024 + neighbour))
      *wrong = 1;
    barrier();
  }
  barrier();
  uint64_t start = device_clock();
  for (long i = 0; i < repeats; ++i) {
    OPAQUE();
    if (BARRIER)
      barrier();
  }
  OPAQUE();
  uint64_t end = device_clock();
  if (thread() == 0)
    cycles[block()] = end - start;
}

template <bool BARRIER> static void time_barriers(const char *name, const char *teams, long count, long size) {
  double *of_blocks = (double *)checked(malloc(count * sizeof *of_blocks)), values[MAX_SAMPLES];
  uint64_t *cycles = (uint64_t *)checked(malloc(count * sizeof *cycles));
  long mistakes = 0;
  for (long sample = -1; sample < samples; ++sample) { // the first is not counted
    uint64_t *on_device = poisoned<uint64_t>(count);
    uint32_t *slots = poisoned<uint32_t>(count * size);
    int none = 0, *wrong = poisoned<int>(1);
    copy(wrong, &none, sizeof none, true);
    barriers<BARRIER><<<count, size>>>(repeats, hash(seed + (uint32_t)sample), on_device, slots, wrong);
    copy(cycles, on_device, count * sizeof *cycles, false);
    mistakes += fetched(wrong);
    for (long i = 0; i < count; ++i) {
      mistakes += cycles[i] == UINT64_MAX;
      of_blocks[i] = (double)cycles[i] / repeats;
    }
    if (sample >= 0)
      values[sample] = median(of_blocks, count);
    omp_target_free(on_device, 0), omp_target_free(slots, 0), omp_target_free(wrong, 0);
  }
  char parameters[80];
  snprintf(parameters, sizeof parameters, "teams=%s threads=%ld", teams, size);
  if (mistakes)
    print_wrong("barriers", name, parameters, "it is no barrier, or not all blocks ran");
  else
    print_figure("barriers", name, parameters, "cycles", samples, values);
  free(of_blocks), free(cycles);
}

__global__ void nothing(uint32_t *words, uint32_t value) {
  if (words && thread() == 0)
    words[block()] = hash(value + block());
}

static void time_launch(const char *teams, long count, long size) {
  uint32_t *words = poisoned<uint32_t>(count), *copied = (uint32_t *)checked(malloc(count * sizeof *copied));
  nothing<<<count, size>>>(words, seed);
  copy(copied, words, count * sizeof *copied, false);
  long mistakes = 0;
  for (long i = 0; i < count; ++i)
    mistakes += copied[i] != hash(seed + (uint32_t)i);
  double values[MAX_SAMPLES];
  for (long sample = 0; sample < samples; ++sample) {
    double start = seconds();
    for (long i = 0; i < repeats; ++i)
      nothing<<<count, size>>>(NULL, seed);
    values[sample] = (seconds() - start) / repeats;
  }
  char parameters[80];
  snprintf(parameters, sizeof parameters, "teams=%s threads=%ld", teams, size);
  if (mistakes)
    print_wrong("launch", "spmd", parameters, "not all blocks ran");
  else
    print_figure("launch", "spmd", parameters, "seconds", samples, values);
  omp_target_free(words, 0), free(copied);
}

enum { BLOCK = 256, MAX_BLOCKS = 2048 };

template <typename R> __global__ void fill(typename R::Value *x, long n, uint32_t key) {
  for (long i = (long)block() * threads() + thread(); i < n; i += (long)blocks() * threads())
    R::input(x + i, key, i);
}

// Each block adds its part of `x` up, and leaves the result in its word of `results`.
template <typename R> __global__ void reduce(const typename R::Value *x, long n, typename R::Value *results) {
  __attribute__((shared)) static char bytes[BLOCK * sizeof(typename R::Value)] __attribute__((aligned(16)));
  typename R::Value *partial = (typename R::Value *)bytes, mine;
  R::start(&mine);
  for (long i = (long)block() * threads() + thread(); i < n; i += (long)blocks() * threads())
    R::combine(&mine, x + i);
  partial[thread()] = mine;
  for (unsigned half = BLOCK / 2; half > 0; half /= 2) {
    barrier();
    if (thread() < half)
      R::combine(partial + thread(), partial + thread() + half);
  }
  if (thread() == 0)
    results[block()] = partial[0];
}

template <typename R> static void time_reduction(long n) {
  typedef typename R::Value T;
  long count = windows(n), needed = (n + BLOCK - 1) / BLOCK, grid = needed < MAX_BLOCKS ? needed : MAX_BLOCKS;
  T *data = (T *)device_memory(count * n * sizeof(T)), *partial = poisoned<T>(MAX_BLOCKS), *result = poisoned<T>(1);
  typename R::Wide *right = (typename R::Wide *)checked(malloc(count * sizeof *right));
  for (long window = 0; window < count; ++window) {
    uint32_t key = hash(seed + window);
    fill<R><<<grid, BLOCK>>>(data + window * n, n, key);
    right[window] = right_result<R>(key, n);
  }
  double values[MAX_SAMPLES];
  long mistakes = 0;
  for (long sample = -1; sample < samples; ++sample) { // the first is not counted
    long window = (sample + count) % count;
    double start = seconds();
    reduce<R><<<grid, BLOCK>>>(data + window * n, n, partial);
    reduce<R><<<1, BLOCK>>>(partial, grid, result);
    T value = fetched(result);
    if (sample >= 0)
      values[sample] = seconds() - start;
    mistakes += !R::same(&value, right + window);
  }
  report<R>(n, mistakes, values);
  omp_target_free(data, 0), omp_target_free(partial, 0), omp_target_free(result, 0), free(right);
}

int main(int argc, char **argv) {
  read_options(argc, argv);
  for (int t = 0; t < teams_list.count; ++t)
    for (int i = 0; i < threads_list.count; ++i) {
      const char *teams = teams_list.words[t];
      long size = atol(threads_list.words[i]);
      if (size < 1 || size > 1024)
        usage(threads_list.words[i]);
      long count = team_count(teams, size);
      time_barriers<false>("empty_loop", teams, count, size);
      time_barriers<true>("bar_sync", teams, count, size);
      time_launch(teams, count, size);
    }
  time_reductions();
  return 0;
}
