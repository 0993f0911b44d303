// Devices of the host CPU: each has memory, globals and constructors of its own, and code that runs there knows where it
// is.
#include <omp.h>
#include <cstdio>

#pragma omp declare target
struct Counter {
  int value;
  Counter() : value(41) {}
} counter;
int constant = 7;
#pragma omp end declare target

int main() {
  int failures = 0;
  for (int device = 0; device < omp_get_num_devices(); device++) {
    int number = -1, initial = -1, in_region = -1, counted = -1, local = 5;
#pragma omp target device(device) map(from : number, initial, in_region, counted) map(to : local)
    {
      number = omp_get_device_num();
      initial = omp_is_initial_device();
#pragma omp parallel
#pragma omp single
      in_region = omp_get_device_num();
      counted = ++counter.value;
      constant += device + 1;
      local = 6;
    }
    printf("device %d: %d %d %d counter %d local %d\n", device, number, initial, in_region, counted, local);
    failures += number != device || initial != 0 || in_region != device || counted != 42 || local != 5;
  }
  for (int device = 0; device < omp_get_num_devices(); device++) {
#pragma omp target update from(constant) device(device)
    printf("constant of device %d: %d\n", device, constant);
    failures += constant != 7 + device + 1;
  }
  return failures;
}
