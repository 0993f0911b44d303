// All devices that there are: regions, data and copies on each and between each two.
#include "../features/check.h"
#include <string.h>

extern const char *omp_get_uid_from_device(int device);

enum { N = 100, MOST = 8 };

#pragma omp declare target
int counter = 5;
#pragma omp end declare target

int main(void) {
  int there = omp_get_num_devices(), count = there < MOST ? there : MOST, wrong = 0, host = omp_get_initial_device();
  int *blocks[MOST + 1], data[N], out[N];

  // Each device has its own copy of a variable, and knows its number.
  for (int d = 0; d < count; ++d) {
    int number = -1;
#pragma omp target device(d) map(from : number)
    {
      counter += d + 1;
      number = omp_get_device_num();
    }
    wrong += number != d;
  }
  for (int d = 0; d < count; ++d) {
    int seen = 0;
#pragma omp target device(d) map(from : seen)
    seen = counter;
    wrong += seen != 5 + d + 1;
  }
  CHECK("devices know themselves", wrong, 0);

  // The same array on all devices at a time, with different contents.
  for (int i = 0; i < N; ++i)
    data[i] = i;
  for (int d = 0; d < count; ++d) {
#pragma omp target enter data device(d) map(to : data)
#pragma omp target teams distribute parallel for device(d)
    for (int i = 0; i < N; ++i)
      data[i] += 1000 * (d + 1);
  }
  for (int d = count - 1; d >= 0; --d) {
#pragma omp target exit data device(d) map(from : data)
    wrong += data[N - 1] != 1000 * (d + 1) + N - 1;
    wrong += omp_target_is_present(data, d);
  }
  CHECK("data of each device", wrong, 0);

  // Copies between each two, the host included.
  for (int d = 0; d <= count; ++d)
    blocks[d] = omp_target_alloc(sizeof data, d < count ? d : host);
  for (int to = 0; to <= count; ++to)
    for (int from = 0; from <= count; ++from) {
      int to_device = to < count ? to : host, from_device = from < count ? from : host;
      for (int i = 0; i < N; ++i)
        data[i] = to * 1000 + from * 100 + i, out[i] = -1;
      wrong += omp_target_memcpy(blocks[from], data, sizeof data, 0, 0, from_device, host);
      wrong += omp_target_memcpy(blocks[to], blocks[from], sizeof data - 4, 4, 0, to_device, from_device);
      wrong += omp_target_memcpy(out, blocks[to], sizeof data, 0, 0, host, to_device);
      wrong += out[1] != data[0] || out[N - 1] != data[N - 2];
      size_t volume[2] = {3, 4}, to_offsets[2] = {0, 0}, from_offsets[2] = {2, 5}, dimensions[2] = {10, 10};
      wrong += omp_target_memcpy(blocks[from], data, sizeof data, 0, 0, from_device, host);
      if (to != from) {
        wrong += omp_target_memcpy_rect(blocks[to], blocks[from], sizeof(int), 2, volume, to_offsets, from_offsets,
                                        dimensions, dimensions, to_device, from_device);
        wrong += omp_target_memcpy(out, blocks[to], sizeof data, 0, 0, host, to_device);
        wrong += out[0] != data[25] || out[23] != data[48];
      }
    }
  CHECK("copies between devices", wrong, 0);
  for (int d = 0; d <= count; ++d)
    omp_target_free(blocks[d], d < count ? d : host);

  // The default device, and identities that tell devices apart.
  for (int d = 0; d < count; ++d) {
    int number = -1;
    omp_set_default_device(d);
#pragma omp target map(from : number)
    number = omp_get_device_num();
    wrong += number != d;
    for (int other = 0; other < d; ++other)
      wrong += !strcmp(omp_get_uid_from_device(d), omp_get_uid_from_device(other));
  }
  CHECK("default device and identities", wrong, 0);
  fprintf(stderr, "%d devices\n", there);
  offloads();
  return finish();
}
