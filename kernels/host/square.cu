// A CUDA source for clang's -foffload-via-llvm: its kernels run through libomptarget.
#include <stdio.h>

extern "C" {
void *llvm_omp_target_alloc_shared(size_t, int);
void llvm_omp_target_free_shared(void *, int);
}

// The host's half is compiled too, and never run.
#ifdef __NVPTX__
#define POSITION (__nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x())
#else
#define POSITION 0
#endif

__global__ void square(int *values, float scale, char add) {
  int i = POSITION;
  values[i] = values[i] * values[i] * (int)scale + add;
}

__global__ void one(int *value) { *value += 1000; }

int main() {
  int *values = (int *)llvm_omp_target_alloc_shared(64 * sizeof(int), 0), wrong = 0;
  for (int i = 0; i < 64; ++i)
    values[i] = i;
  square<<<4, 16>>>(values, 2.5f, 3);
  one<<<1, 1>>>(values);
  one<<<1, 1>>>(values);
  for (int i = 0; i < 64; ++i)
    wrong += values[i] != i * i * 2 + 3 + (i ? 0 : 2000);
  llvm_omp_target_free_shared(values, 0);
  printf("%s\n", wrong ? "FAILED" : "passed");
  return wrong != 0;
}
