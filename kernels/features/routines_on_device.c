// Routines in device code that the other programs do not call: the machine's numbers and warp operations of ompx.h, shared memory
// of the launch, memory spaces and allocators of this device, settings without effect, and forms of constructs that clang
// writes for hosts. There is nothing to check without a device.
#include "check.h"
#include <ompx.h>
#include <stdint.h>

#ifdef __NVPTX__
#pragma omp begin declare target
int __kmpc_get_hardware_num_blocks(void);
int __kmpc_get_hardware_num_threads_in_block(void);
int16_t __kmpc_parallel_level(void *, int);
signed char __kmpc_is_spmd_exec_mode(void);
void *__kmpc_alloc(int, size_t, void *);
void *__kmpc_aligned_alloc(int, size_t, size_t, void *);
void __kmpc_free(int, void *, void *);
void *__kmpc_get_dynamic_shared(void);
void *llvm_omp_get_dynamic_shared(void);
int __kmpc_reduce(void *, int, int, size_t, void *, void *, unsigned *);
void __kmpc_end_reduce(void *, int, unsigned *);
// clang knows the name and warns of its cost.
void atomic_exchange_of(size_t, void *, void *, void *, int) __asm__("__atomic_exchange");
#pragma omp end declare target
#endif

enum { TEAMS = 3, THREADS = 64, WARP = 32 };

// Only failures are printed: the output is that of the host, where nothing is checked.
#define EXPECT(what, wrong)                                                                                            \
  do {                                                                                                                 \
    if (wrong)                                                                                                         \
      CHECK("wrong answers of " what, wrong, 0);                                                                       \
  } while (0)

static void numbers_of_the_machine(void) {
  int wrong = 0, seen[TEAMS][THREADS] = {{0}};
#pragma omp target teams num_teams(TEAMS) thread_limit(THREADS) map(tofrom : wrong, seen)
#pragma omp parallel num_threads(THREADS)
  {
    int thread = ompx_thread_id(ompx_dim_x), block = ompx_block_id(ompx_dim_x), mistakes = 0;
    mistakes += ompx_block_dim(ompx_dim_y) != 1 || ompx_block_dim(ompx_dim_z) != 1 || ompx_grid_dim(ompx_dim_y) != 1;
    mistakes += ompx_thread_id(ompx_dim_y) != 0 || ompx_thread_id(ompx_dim_z) != 0 || ompx_block_id(ompx_dim_z) != 0;
    mistakes += ompx_block_dim(ompx_dim_x) != THREADS || ompx_grid_dim(ompx_dim_x) != omp_get_num_teams();
    mistakes += thread != omp_get_thread_num() || block != omp_get_team_num();
#ifdef __NVPTX__
    mistakes += __kmpc_get_hardware_num_threads_in_block() != THREADS;
    mistakes += __kmpc_get_hardware_num_blocks() != omp_get_num_teams();
    mistakes += __kmpc_parallel_level(NULL, 0) != 1 || __kmpc_is_spmd_exec_mode() != 1;
#endif
#pragma omp atomic
    wrong += mistakes;
    seen[block][thread] += 1;
  }
  for (int i = 0; i < TEAMS * THREADS; ++i)
    wrong += seen[i / THREADS][i % THREADS] != 1;
  EXPECT("the machine's numbers", wrong);
}

static void operations_of_warps(void) {
  int wrong[4] = {0};
#pragma omp target teams num_teams(1) thread_limit(THREADS) map(tofrom : wrong)
#pragma omp parallel num_threads(THREADS)
  {
    int lane = ompx_thread_id(ompx_dim_x) % WARP, above = lane < WARP - 5 ? lane + 5 : lane;
    uint64_t all = 0xffffffff;
    int mistakes[4] = {ompx_ballot_sync(all, lane % 3 == 0) != 0x49249249,
                       ompx_shfl_down_sync_i(all, lane * 7 - 100, 5, WARP) != above * 7 - 100,
                       ompx_shfl_down_sync_l(all, lane * 0x100000003l, 5, WARP) != above * 0x100000003l,
                       ompx_shfl_down_sync_f(all, lane * 0.5f, 5, WARP) != above * 0.5f ||
                           ompx_shfl_down_sync_d(all, lane / 3.0, 5, WARP) != above / 3.0};
    for (int i = 0; i < 4; ++i) {
#pragma omp atomic
      wrong[i] += mistakes[i];
    }
  }
  EXPECT("ballot", wrong[0]);
  EXPECT("shuffle of int", wrong[1]);
  EXPECT("shuffle of long", wrong[2]);
  EXPECT("shuffle of numbers", wrong[3]);
}

// What the threads of a block write is there behind each barrier, in the launch's shared memory.
static void barriers_and_shared_memory(void) {
  int wrong = 0;
#pragma omp target teams num_teams(TEAMS) thread_limit(THREADS) map(tofrom : wrong)                                    \
    ompx_dyn_cgroup_mem(THREADS * sizeof(int))
#pragma omp parallel num_threads(THREADS)
  {
    int *shared = llvm_omp_target_dynamic_shared_alloc();
    int thread = ompx_thread_id(ompx_dim_x), other = THREADS - 1 - thread, mistakes = 0;
#ifdef __NVPTX__
    mistakes += __kmpc_get_dynamic_shared() != shared || llvm_omp_get_dynamic_shared() != shared;
#endif
    for (int round = 0; round < 3; ++round) {
      shared[thread] = round * 1000 + thread;
      if (round == 0)
        ompx_sync_block_acq_rel();
      else if (round == 1)
        ompx_sync_block(ompx_acq_rel);
      else
        ompx_sync_block_divergent(ompx_acq_rel);
      mistakes += ((volatile int *)shared)[other] != round * 1000 + other;
      ompx_sync_block_acq_rel();
    }
#pragma omp atomic
    wrong += mistakes;
  }
  EXPECT("barriers of the block", wrong);
}

static void settings(void) {
  int wrong[5] = {0}, device = omp_get_default_device();
  char format[8] = "format";
#pragma omp target map(tofrom : wrong, format) firstprivate(device)
  {
    omp_set_dynamic(1);
    wrong[0] = omp_get_dynamic() != 0;
    wrong[1] = omp_get_max_teams() != 0 || omp_get_teams_thread_limit() != 0;
    omp_set_default_device(device + 1);
    wrong[2] = omp_get_default_device() != device || omp_is_initial_device();
    wrong[4] = omp_get_affinity_format(format, sizeof format) != 0 || format[0] != 0;
    int levels = omp_get_supported_active_levels();
    wrong[3] = levels < 1 || omp_get_nested() != (omp_get_max_active_levels() > 1);
    omp_set_nested(1);
    wrong[3] += omp_get_max_active_levels() != levels || omp_get_nested() != (levels > 1);
    omp_set_nested(0);
    wrong[3] += omp_get_max_active_levels() != 1 || omp_get_nested() != 0;
  }
  EXPECT("dynamic", wrong[0]);
  EXPECT("limits of teams", wrong[1]);
  EXPECT("default device", wrong[2]);
  EXPECT("nested", wrong[3]);
  EXPECT("affinity", wrong[4]);
}

static void spaces_and_allocators(void) {
  int wrong[5];
#pragma omp target map(from : wrong)
  {
    for (int i = 0; i < 5; ++i)
      wrong[i] = 0;
#ifdef __NVPTX__ // libomp has none of these
    omp_memspace_handle_t space = omp_default_mem_space, none = omp_null_mem_space;
    int this = omp_get_device_num(), other = this + 1, first = 0, two[2] = {this, other};
    wrong[0] += omp_get_device_memspace(this, space) != space || omp_get_device_memspace(other, space) != none;
    wrong[0] += omp_get_devices_memspace(1, &this, space) != space || omp_get_devices_memspace(2, two, space) != none;
    // Memory that the host or all devices reach, too, there is not.
    wrong[1] += omp_get_device_and_host_memspace(this, space) != none || omp_get_devices_all_memspace(space) != none;
    wrong[1] += omp_get_devices_and_host_memspace(1, &this, space) != none;
    wrong[2] += omp_get_device_allocator(other, space) != omp_null_allocator;
    wrong[2] += omp_get_devices_allocator(1, &this, space) != omp_get_device_allocator(this, space);
    wrong[2] += omp_get_device_and_host_allocator(this, space) != omp_null_allocator;
    wrong[2] += omp_get_devices_and_host_allocator(1, &this, space) != omp_null_allocator;
    wrong[2] += omp_get_devices_all_allocator(space) != omp_null_allocator;
    wrong[3] += omp_get_memspace_num_resources(space) != 1 || omp_get_memspace_num_resources(none) != 0;
    wrong[3] += omp_get_submemspace(space, 1, &first) != space || omp_get_submemspace(space, 1, &other) != none;
    omp_allocator_handle_t allocator = omp_get_device_allocator(this, space);
    int *numbers = omp_alloc(100 * sizeof *numbers, allocator);
    for (int i = 0; numbers && i < 100; ++i)
      numbers[i] = i * i;
    char *bytes = __kmpc_alloc(0, 100, (void *)allocator), *aligned = __kmpc_aligned_alloc(0, 256, 100, (void *)allocator);
    wrong[4] += bytes == NULL || aligned == NULL || (uintptr_t)aligned % 256 != 0;
    for (int i = 0; bytes && aligned && i < 100; ++i)
      bytes[i] = (char)i, aligned[i] = (char)(i + 1);
    for (int i = 0; bytes && aligned && i < 100; ++i)
      wrong[4] += ((volatile char *)bytes)[i] != i || ((volatile char *)aligned)[i] != i + 1;
    __kmpc_free(0, bytes, (void *)allocator), __kmpc_free(0, aligned, (void *)allocator);
    for (int i = 0; numbers && i < 100; ++i)
      wrong[4] += ((volatile int *)numbers)[i] != i * i;
    wrong[4] += numbers == NULL;
    omp_free(numbers, allocator);
#endif
  }
  EXPECT("memory spaces of devices", wrong[0]);
  EXPECT("memory spaces of devices and the host", wrong[1]);
  EXPECT("allocators of devices", wrong[2]);
  EXPECT("parts of a memory space", wrong[3]);
  EXPECT("memory of an allocator", wrong[4]);
}

// The form of a reduction that clang writes for hosts, and an exchange of an object for whose size there is no instruction.
static void forms_for_hosts(void) {
  int sum = 0, wrong = 1;
#pragma omp target teams num_teams(1) thread_limit(THREADS) map(tofrom : sum, wrong)
  {
    unsigned lock[8] = {0};
#pragma omp parallel num_threads(THREADS) shared(lock)
    {
#ifdef __NVPTX__
      int thread = omp_get_thread_num(), threads = omp_get_num_threads();
      if (__kmpc_reduce(NULL, thread, 1, sizeof sum, NULL, NULL, lock) == 1) {
        *(volatile int *)&sum += thread + 1;
        __kmpc_end_reduce(NULL, thread, lock);
      }
      // All have added.
      if (thread == threads / 2)
        wrong = *(volatile int *)&sum != threads * (threads + 1) / 2;
#else
      // The variables in the order of the device's code, which is that of the kernel's parameters.
      sum += (int)lock[0], wrong = 0;
#endif
    }
  }
  EXPECT("reduce", wrong);

  typedef struct {
    int parts[3];
  } Odd;
  Odd object = {{1, 2, 3}}, desired = {{4, 5, 6}}, before = {{0, 0, 0}};
#pragma omp target map(tofrom : object, desired, before)
  {
#ifdef __NVPTX__
    atomic_exchange_of(sizeof object, &object, &desired, &before, __ATOMIC_SEQ_CST);
#else
    object = desired = before;
#endif
  }
  for (int i = 0; i < 3; ++i)
    wrong += object.parts[i] != 4 + i || desired.parts[i] != 4 + i || before.parts[i] != 1 + i;
  EXPECT("exchange", wrong);
}

int main(void) {
  if (omp_get_num_devices() == 0)
    return finish();
  numbers_of_the_machine();
  operations_of_warps();
  barriers_and_shared_memory();
  settings();
  spaces_and_allocators();
  forms_for_hosts();
  return finish();
}
