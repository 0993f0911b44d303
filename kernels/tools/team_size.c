// Serial code with a region: of how many threads the region is, the environment decides.
#include <omp.h>
#include <stdio.h>

int main(void) {
  int threads = 0, members = 0;
#pragma omp target map(tofrom : threads, members)
  {
    threads = -1;
#pragma omp parallel
    {
#pragma omp atomic
      members += 1;
      if (omp_get_thread_num() == 0)
        threads += 1 + omp_get_num_threads();
    }
  }
  printf("%d threads, %d of them counted\n", threads, members);
  return 0;
}
