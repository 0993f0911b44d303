// Two constructs map one large array at once. The kernel of the second one waits for the copy of the first, but not for its
// kernel, which waits for it; with LIBOMPTARGET_MAP_FORCE_ATOMIC=false it does not even wait for the copy. A device pointer of
// this CPU is an address of the program, so the kernels and the program share `flags`.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 256 << 20 };
static int flags[1];

int main(void) {
  int device = omp_get_default_device(), *flag = flags, seen[1] = {0}, last[1] = {0};
  char *array = malloc(SIZE);
  memset(array, 7, SIZE);
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp target nowait is_device_ptr(flag) map(to : array[0 : SIZE]) map(from : seen)
    {
      int now = 0;
      for (double end = omp_get_wtime() + 10; !now && omp_get_wtime() < end;) {
#pragma omp atomic read acquire
        now = flag[0];
      }
      seen[0] = now;
    }
    while (!omp_target_is_present(array, device)) {
    }
#pragma omp target is_device_ptr(flag) map(to : array[0 : SIZE]) map(from : last)
    {
      last[0] = array[SIZE - 1];
#pragma omp atomic write release
      flag[0] = 1;
    }
#pragma omp taskwait
  }
  printf("kernels %s, data %s\n", seen[0] ? "side by side" : "one after the other", last[0] == 7 ? "there" : "missing");
  free(array);
  return 0;
}
