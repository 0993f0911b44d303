// Functions that ask the runtime, without a kernel. With -DKERNEL there is one, so that the file has a state that is set
// up, but not for the kernels of others.
#include <omp.h>

#pragma omp begin declare target
int where(void) { return omp_get_level() * 100 + omp_get_thread_num(); }

int inner_sum(int n) {
  int sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i)
    sum += i;
  return sum;
}
#pragma omp end declare target

#ifdef KERNEL
int from_here(void) {
  int wrong = 0;
#pragma omp target parallel map(tofrom : wrong) reduction(+ : wrong)
  wrong += where() != 100 + omp_get_thread_num();
  return wrong;
}
#endif
