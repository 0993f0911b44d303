// The directive `error at(execution)` in kernels: a warning each time, and one error if the argument is 1. With 2 a team
// that must have more threads than it can is the error.
#include <stdio.h>
#include <stdlib.h>

#ifdef __NVPTX__
void __kmpc_push_num_threads_strict(void *at, int thread, int threads, int severity, const char *message);
#else
#define __kmpc_push_num_threads_strict(...) (void)0
#endif

int main(int argc, char **argv) {
  int fatal = argc > 1 ? atoi(argv[1]) : 0, ran = 0;
#pragma omp target map(tofrom : ran)
  {
    printf("before\n");
#pragma omp error at(execution) severity(warning) message("take care")
    ran += 1;
    if (fatal == 1) {
#pragma omp error at(execution) severity(fatal) message("no way on")
      ran += 10;
    }
    if (fatal == 2)
      __kmpc_push_num_threads_strict(0, 0, 5000, 2, "not so many");
#pragma omp error at(execution) severity(warning)
    ran += 100;
  }
  printf("ran %d\n", ran);
  return 0;
}
