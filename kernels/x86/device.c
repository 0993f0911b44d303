// What routines say of this CPU as a device: its identity, what its kernels may access, and that it has no interop object.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

extern const char *omp_get_uid_from_device(int device);
extern int omp_get_device_from_uid(const char *uid);
extern int omp_target_is_accessible(const void *address, size_t bytes, int device);

int global = 1;
#pragma omp declare target(global)

int main(void) {
  int device = omp_get_default_device(), local = 0;
#pragma omp target map(tofrom : local)
  local = global;
  for (int i = 0; i < omp_get_num_devices(); ++i) {
    const char *uid = omp_get_uid_from_device(i);
    printf("%d %s\n", omp_get_device_from_uid(uid), uid);
  }
  int *block = omp_target_alloc(64, device), *mapped = omp_get_mapped_ptr(&global, device);
  printf("block %d, inside %d, beyond %d\n", omp_target_is_accessible(block, 64, device),
         omp_target_is_accessible(block + 1, 60, device), omp_target_is_accessible(block + 1, 64, device));
  printf("global %d, its original %d, the stack %d, nothing %d\n", omp_target_is_accessible(mapped, sizeof global, device),
         omp_target_is_accessible(&global, sizeof global, device), omp_target_is_accessible(&local, sizeof local, device),
         omp_target_is_accessible(0, 1, device));
  omp_target_free(block, device);
  printf("freed %d\n", omp_target_is_accessible(block, 1, device));
  omp_interop_t object = omp_interop_none;
#pragma omp interop init(targetsync : object)
  printf("interop %d\n", object != omp_interop_none);
  return 0;
}
