// Asynchronous memory routines as target tasks with dependence objects, locked memory, accessibility, identities.
#include "../features/check.h"
#include <stdlib.h>
#include <string.h>

extern const char *omp_get_uid_from_device(int device);
extern int omp_get_device_from_uid(const char *uid);
extern int omp_target_is_accessible(const void *address, size_t bytes, int device);
extern void *llvm_omp_target_lock_mem(void *address, size_t bytes, int device);
extern void llvm_omp_target_unlock_mem(void *address, int device);
extern void *llvm_omp_target_alloc_shared(size_t bytes, int device);
extern void llvm_omp_target_free_shared(void *address, int device);

enum { N = 64, STEPS = 20 };

// Copies the box with arrays that are gone before the task runs.
static int copy_box(int *to, const int *from, int to_device, int from_device, omp_depend_t *after) {
  size_t volume[2] = {2, 3}, to_offsets[2] = {1, 1}, from_offsets[2] = {4, 2}, dimensions[2] = {8, 8};
  return omp_target_memcpy_rect_async(to, from, sizeof(int), 2, volume, to_offsets, from_offsets, dimensions, dimensions,
                                      to_device, from_device, 1, after);
}

int main(void) {
  int device = offloads(), number = omp_get_default_device(), host = omp_get_initial_device();
  int *a = omp_target_alloc(N * sizeof(int), number), *b = omp_target_alloc(N * sizeof(int), number);
  int in[N], out[N];
  for (int i = 0; i < N; ++i)
    in[i] = i, out[i] = -1;

  // each step needs the one before: fill, copy in, copy on the device, change, copy out
  int failed = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
  for (int step = 0; step < STEPS; ++step) {
    omp_depend_t chain;
#pragma omp depobj(chain) depend(inout : a[0])
    failed += omp_target_memset_async(b, 0x11, N * sizeof(int), number, 1, &chain) != b;
    failed += omp_target_memcpy_async(a, in, N * sizeof(int), 0, 0, number, host, 1, &chain);
    failed += omp_target_memcpy_async(b, a, 32 * sizeof(int), 0, 32 * sizeof(int), number, number, 1, &chain);
#pragma omp target is_device_ptr(b) depend(inout : a[0]) nowait
    for (int i = 0; i < N; ++i)
      b[i] += 1;
    failed += omp_target_memcpy_async(out, b, N * sizeof(int), 0, 0, host, number, 1, &chain);
#pragma omp task depend(inout : a[0]) shared(in, out)
    for (int i = 0; i < N; ++i)
      in[i] = out[i];
#pragma omp depobj(chain) destroy
  }
  CHECK("every call made its task", failed, 0);
  // after the first step the upper half is 0x11111112, which then is copied to the lower half
  CHECK("chain: lower half", in[0], STEPS == 1 ? 33 : 0x11111113);
  CHECK("chain: upper half", in[N - 1], 0x11111112);

  // several dependences in one object, and two objects
  int x = 0, y = 0;
  omp_depend_t both[2];
#pragma omp depobj(both[0]) depend(iterator(i = 0 : 2), out : in[i])
#pragma omp depobj(both[1]) depend(in : y)
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task depend(out : in[1]) shared(x, in)
    in[0] = in[1] = 5, x = 1;
#pragma omp task depend(out : y) shared(y)
    y = 1;
    omp_target_memcpy_async(a, in, 2 * sizeof(int), 0, 0, number, host, 2, both);
    omp_target_memcpy_async(out, a, 2 * sizeof(int), 0, 0, host, number, 2, both);
#pragma omp taskwait
  }
  CHECK("dependences of an iterator", out[0] + out[1], 10);
#pragma omp depobj(both[0]) destroy
#pragma omp depobj(both[1]) destroy

  // a box; without dependences the task may run at once
  for (int i = 0; i < N; ++i)
    in[i] = i, out[i] = 0;
  omp_target_memcpy(a, in, sizeof in, 0, 0, number, host);
  omp_target_memset(b, 0, sizeof in, number);
  omp_depend_t box;
#pragma omp depobj(box) depend(inout : b[0])
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    failed += copy_box(b, a, number, number, &box);
    failed += copy_box(out, b, host, number, &box);
  }
#pragma omp depobj(box) destroy
  CHECK("boxes", failed, 0);
  CHECK("box of a box", out[9] + out[10] + out[11] + out[17], 0);
  omp_target_memcpy(out, b, sizeof in, 0, 0, host, number);
  CHECK("box", out[9] * 100 + out[19], 34 * 100 + 44);
  CHECK_THAT("most dimensions", omp_target_memcpy_rect_async(0, 0, 1, 1, 0, 0, 0, 0, 0, host, host, 0, 0) >= 3);

  // bad input is an error of the call
  CHECK_THAT("null", omp_target_memcpy_async(0, in, 4, 0, 0, host, host, 0, 0) != 0);
  CHECK_THAT("negative count", omp_target_memcpy_async(out, in, 4, 0, 0, host, host, -1, 0) != 0);

  // memory that both sides reach
  int *shared = llvm_omp_target_alloc_shared(N * sizeof(int), number);
  CHECK_THAT("managed memory is accessible", omp_target_is_accessible(shared, N * sizeof(int), number));
  for (int i = 0; i < N; ++i)
    shared[i] = i;
#pragma omp target is_device_ptr(shared)
  for (int i = 0; i < N; ++i)
    shared[i] *= 3;
  CHECK("managed memory", shared[N - 1], 3 * (N - 1));
  CHECK_THAT("a null pointer is not accessible on a device", !device || !omp_target_is_accessible(0, 1, number));
  llvm_omp_target_free_shared(shared, number);

  int *locked = malloc(4096);
  CHECK_THAT("locked memory has an address", llvm_omp_target_lock_mem(locked, 4096, number) != 0);
  memset(locked, 1, 4096);
  omp_target_memcpy(a, locked, 16, 0, 0, number, host);
  omp_target_memcpy(out, a, 16, 0, 0, host, number);
  CHECK("locked memory", out[3], 0x01010101);
  llvm_omp_target_unlock_mem(locked, number);
  free(locked);

  // libomp's allocators for memory of a device find the runtime by the names of its functions
  const omp_allocator_handle_t allocators[3] = {llvm_omp_target_host_mem_alloc, llvm_omp_target_shared_mem_alloc,
                                                llvm_omp_target_device_mem_alloc};
  for (int k = 0; k < 3; ++k) {
    int *block = omp_alloc(N * sizeof(int), allocators[k]);
#pragma omp target is_device_ptr(block)
    for (int i = 0; i < N; ++i)
      block[i] = k + i;
    omp_target_memcpy(out, block, sizeof out, 0, 0, host, k == 2 ? number : host);
    CHECK("allocator", out[N - 1], k + N - 1);
    omp_free(block, allocators[k]);
  }

  const char *uid = omp_get_uid_from_device(number), *host_uid = omp_get_uid_from_device(host);
  CHECK_THAT("identities", uid && host_uid && device == (strcmp(uid, host_uid) != 0));
  CHECK_THAT("device of an identity", omp_get_device_from_uid(uid) == number);
  CHECK_THAT("host of an identity", omp_get_device_from_uid(host_uid) == host);
  CHECK("no device", omp_get_device_from_uid("no such device"), -2);

  omp_target_free(a, number), omp_target_free(b, number);
  return finish();
}
