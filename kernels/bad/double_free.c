// Frees device memory twice.
#include <omp.h>

int main(void) {
  void *memory = omp_target_alloc(100, 0);
  omp_target_free(memory, 0);
  omp_target_free(memory, 0);
  return 0;
}
