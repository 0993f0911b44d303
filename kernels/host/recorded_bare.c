// A program whose one kernel is recorded: grid and blocks of three dimensions, and dynamic shared memory.
#include <omp.h>
#include <ompx.h>
#include <stdio.h>

enum { BLOCKS = 2 * 3 * 4, THREADS = 8 * 2 * 2 };

int main(void) {
  int out[BLOCKS * THREADS];
#pragma omp target teams ompx_bare num_teams(2, 3, 4) thread_limit(8, 2, 2)                                                  \
    ompx_dyn_cgroup_mem(THREADS * sizeof(int)) map(from : out)
  {
    int *shared = llvm_omp_target_dynamic_shared_alloc();
    int thread = ompx_thread_id_x() + 8 * (ompx_thread_id_y() + 2 * ompx_thread_id_z());
    int block = ompx_block_id_x() + 2 * (ompx_block_id_y() + 3 * ompx_block_id_z());
    shared[thread] = block * 1000 + thread;
    ompx_sync_block_acq_rel();
    out[block * THREADS + thread] = shared[THREADS - 1 - thread];
  }
  for (int i = 0; i < BLOCKS * THREADS; ++i)
    if (out[i] != i / THREADS * 1000 + THREADS - 1 - i % THREADS)
      return printf("%d: %d\n", i, out[i]), 1;
  return 0;
}
