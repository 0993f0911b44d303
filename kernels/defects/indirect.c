// The look-up of a pointer of the host: an address within the table that is no entry of it comes back as it is, in bounded
// time.
#include "../features/check.h"

#pragma omp begin declare target indirect
int increment(int x) { return x + 1; }
int twice(int x) { return x * 2; }
int less(int x) { return x - 7; }
#pragma omp end declare target

typedef int function(int);

#pragma omp begin declare target
#ifdef __NVPTX__
void *__llvm_omp_indirect_call_lookup(void *);
#else
static void *__llvm_omp_indirect_call_lookup(void *pointer) { return pointer; }
#endif
#pragma omp end declare target

int main(void) {
  function *functions[3] = {increment, twice, less};
  char *probes[4] = {(char *)increment + 1, (char *)twice + 1, (char *)less - 1, (char *)less + 1}, *got[4] = {0};
  int call[3] = {0};
#pragma omp target map(from : call) map(to : functions)
  for (int k = 0; k < 3; ++k)
    call[k] = ((function *)__llvm_omp_indirect_call_lookup((void *)functions[k]))(40);
#pragma omp target map(from : got) map(to : probes)
  for (int k = 0; k < 4; ++k)
    got[k] = (char *)__llvm_omp_indirect_call_lookup(probes[k]);
  int wrong = 0;
  for (int k = 0; k < 4; ++k)
    wrong += got[k] != probes[k];
  CHECK("calls", call[0] * 1000000 + call[1] * 1000 + call[2], 41080033);
  CHECK("unknown pointers that do not come back", wrong, 0);
  return finish();
}
