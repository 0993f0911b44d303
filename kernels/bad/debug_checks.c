// Mistakes that the device runtime finds in a program compiled with -fopenmp-target-debug; the argument says which.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __NVPTX__
void *__kmpc_alloc_shared(size_t bytes);
void __kmpc_free_shared(void *memory, size_t bytes);
#endif

#pragma omp begin declare target
// A variable and functions of their own, so that the compiler does not know the memory.
void *kept;
#ifdef __NVPTX__
__attribute__((noinline)) void take(size_t bytes) { kept = __kmpc_alloc_shared(bytes); }
__attribute__((noinline)) void give_back(size_t bytes) { __kmpc_free_shared(kept, bytes); }
#else
static void take(size_t bytes) { (void)bytes; }
static void give_back(size_t bytes) { (void)bytes; }
#endif
__attribute__((noinline)) void again(void) {
#pragma omp critical(outer)
  omp_set_num_threads(1);
}
#pragma omp end declare target

int main(int argc, char **argv) {
  int mistake = argc > 1 ? atoi(argv[1]) : 0, threads = mistake == 1 ? 0 : 4, ran = 0;
#pragma omp target map(tofrom : ran)
#pragma omp parallel num_threads(threads)
  {
#pragma omp atomic
    ran += 1;
  }
#pragma omp target
  {
    omp_set_num_threads(mistake == 2 ? -3 : 4);
    kept = omp_alloc(100, omp_pteam_mem_alloc);
    omp_free(kept, omp_pteam_mem_alloc);
    if (mistake == 3)
      omp_free(kept, omp_pteam_mem_alloc);
    take(48);
    give_back(mistake == 4 ? 100 : 48);
  }
#pragma omp target
  {
    omp_lock_t lock;
    if (mistake == 5) {
      *(unsigned long *)&lock = 0x5a5a5a5a5a5a5a5a;
    } else {
      omp_init_lock(&lock);
    }
    omp_set_lock(&lock);
    if (mistake == 6)
      omp_set_lock(&lock);
    if (mistake != 7)
      omp_unset_lock(&lock);
    if (mistake == 8)
      omp_unset_lock(&lock);
    omp_destroy_lock(&lock);
  }
#pragma omp target
  {
#pragma omp critical(outer)
    if (mistake == 9)
      again();
  }
  printf("%d threads\n", ran);
  return 0;
}
