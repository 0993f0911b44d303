// Two constructs map one array at once. The second one waits for the copy of the first, and so for the kernel that is behind
// it by then; with LIBOMPTARGET_MAP_FORCE_ATOMIC=false the two kernels run side by side. A device pointer of this CPU is
// an address of the program, so the kernels and the program share `flags`.
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

static int flags[2];

static int is_set(const int *flag) {
  int value;
#pragma omp atomic read acquire
  value = *flag;
  return value;
}

int main(void) {
  int array[1] = {1}, seen[1] = {0}, *flag = flags;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp target nowait is_device_ptr(flag) map(to : array) map(from : seen)
    {
#pragma omp atomic write release
      flag[0] = array[0];
      int now = 0;
      for (double end = omp_get_wtime() + 0.5; !now && omp_get_wtime() < end;) {
#pragma omp atomic read acquire
        now = flag[1];
      }
      seen[0] = now;
    }
    while (!is_set(&flags[0]))
      usleep(1000);
#pragma omp target is_device_ptr(flag) map(to : array)
    {
#pragma omp atomic write release
      flag[1] = array[0];
    }
#pragma omp taskwait
  }
  printf("%s\n", seen[0] ? "side by side" : "one after the other");
  return 0;
}
