// The omp_target_* functions: allocation, copies in all directions, rectangles, fill, presence, associated memory.
#include "check.h"
#include <stdlib.h>
#include <string.h>

enum { N = 100 };

int main(void) {
  int device = offloads(), number = omp_get_default_device(), host = omp_get_initial_device();
  int a[N], b[N];
  for (int i = 0; i < N; ++i)
    a[i] = i, b[i] = -1;

  int *first = omp_target_alloc(sizeof a, number), *second = omp_target_alloc(sizeof a, number);
  CHECK_THAT("omp_target_alloc", first && second && first != second);
  CHECK("host to device", omp_target_memcpy(first, a, sizeof a, 0, 0, number, host), 0);
  CHECK("device to device", omp_target_memcpy(second, first, sizeof a, 0, 0, number, number), 0);
#pragma omp target teams distribute parallel for is_device_ptr(second)
  for (int i = 0; i < N; ++i)
    second[i] *= 2;
  CHECK("device to host, with offsets",
        omp_target_memcpy(b, second, 50 * sizeof(int), 10 * sizeof(int), 20 * sizeof(int), host, number), 0);
  CHECK("offset of the source", b[10], 40);
  CHECK("offset of the destination", b[9], -1);
  CHECK("length", b[60], -1);
  CHECK("host to host", omp_target_memcpy(b, a, sizeof a, 0, 0, host, host), 0);
  CHECK("host to host: data", b[N - 1], N - 1);

  // a 4 by 5 part of a 10 by 10 matrix
  int matrix[10][10], part[10][10];
  for (int i = 0; i < 10; ++i)
    for (int j = 0; j < 10; ++j)
      matrix[i][j] = 10 * i + j, part[i][j] = 0;
  size_t volume[2] = {4, 5}, to[2] = {1, 2}, from[2] = {3, 4}, dimensions[2] = {10, 10};
  CHECK_THAT("memcpy_rect: dimensions that it can do", omp_target_memcpy_rect(0, 0, 4, 2, volume, to, from, dimensions,
                                                                               dimensions, host, host) >= 2);
  int *square = omp_target_alloc(sizeof matrix, number);
  omp_target_memcpy(square, part, sizeof part, 0, 0, number, host);
  CHECK("memcpy_rect to the device",
        omp_target_memcpy_rect(square, matrix, sizeof(int), 2, volume, to, from, dimensions, dimensions, number, host), 0);
  omp_target_memcpy(part, square, sizeof part, 0, 0, host, number);
  CHECK("memcpy_rect: first", part[1][2], 34);
  CHECK("memcpy_rect: last", part[4][6], 68);
  CHECK("memcpy_rect: beside", part[1][1] + part[5][2] + part[4][7], 0);

  // fill
  CHECK_THAT("memset gives its argument back", omp_target_memset(second, 0x5a, 40, number) == second);
  omp_target_memcpy(b, second, sizeof b, 0, 0, host, number);
  CHECK("memset: filled", b[9], 0x5a5a5a5a);
  CHECK("memset: not further", b[10], 20);

  // presence
  CHECK_THAT("not present", omp_target_is_present(a, number) == !device);
#pragma omp target data map(to : a)
  {
    CHECK_THAT("present", omp_target_is_present(a, number));
    CHECK_THAT("an element is present", omp_target_is_present(&a[N - 1], number));
    CHECK_THAT("mapped pointer", (omp_get_mapped_ptr(a, number) != 0));
  }
  CHECK_THAT("present on the host", omp_target_is_present(a, host));
  CHECK_THAT("a null pointer is never present on a device", !device || !omp_target_is_present(0, number));

  // associated memory is used instead of new memory, and never copied by itself
  int shadow[N], sum = 0, associated = 0, undone = 0;
  memset(shadow, 0, sizeof shadow);
  if (device)
    associated = omp_target_associate_ptr(shadow, first, sizeof shadow, 0, number) == 0;
#pragma omp target map(tofrom : shadow) map(from : sum)
  {
    sum = 0;
    for (int i = 0; i < N; ++i)
      sum += shadow[i];
    shadow[0] = 9;
  }
  if (device)
    undone = omp_target_disassociate_ptr(shadow, number) == 0;
  CHECK_THAT("associate", associated == device);
  CHECK_THAT("associated memory was used", sum == (device ? 4950 : 0) && shadow[0] == (device ? 0 : 9));
  CHECK_THAT("disassociate", undone == device);
  CHECK_THAT("disassociated", omp_target_is_present(shadow, number) == !device);
  omp_target_free(first, number), omp_target_free(second, number), omp_target_free(square, number);
  omp_target_free(0, number);
  return finish();
}
