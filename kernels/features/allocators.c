// Allocators in target regions: the predefined ones, allocators with traits, the default allocator, clauses and
// directives, memory that outlives its kernel, and serial variables of many threads at once.
#pragma omp requires dynamic_allocators
#include "check.h"
#include <stdint.h>
#include <string.h>

enum { TEAMS = 4, THREADS = 96, KINDS = 8 };

#pragma omp begin declare target
static const omp_allocator_handle_t kinds[KINDS] = {
    omp_default_mem_alloc, omp_large_cap_mem_alloc, omp_const_mem_alloc, omp_high_bw_mem_alloc,
    omp_low_lat_mem_alloc, omp_cgroup_mem_alloc,    omp_pteam_mem_alloc, omp_thread_mem_alloc};
long *kept; // memory of one kernel for the next

// A variable of serial code that a region captures: it must not be on the stack of its thread.
__attribute__((noinline)) int twice(int x) {
  int box[4] = {x, 0, 0, 0};
#pragma omp parallel num_threads(1) shared(box)
  box[1] = box[0] * 2;
  return box[1];
}

// Writes to all of `p`, looks whether it stays, frees it; the number of what is wrong.
static int use_up(unsigned char *p, int bytes, uintptr_t alignment, int mark, omp_allocator_handle_t with) {
  int wrong = p == 0 || (uintptr_t)p % alignment != 0;
  if (p) {
    for (int i = 0; i < bytes; ++i)
      p[i] = (unsigned char)(mark + i);
    for (int i = 0; i < bytes; ++i)
      wrong += p[i] != (unsigned char)(mark + i);
  }
  omp_free(p, with);
  return wrong;
}

// How many of the bytes from `p` on are `mark`, `mark` + `step` and so on; and makes them so. Not inlined and unrolled: where
// kernels call regions through pointers, ptxas refuses one with more registers than a kernel of 512 threads may have.
__attribute__((noinline)) static int count_marks(const char *p, int bytes, int mark, int step) {
  int found = 0;
  for (int i = 0; i < bytes; ++i)
    found += p[i] == (char)(mark + i * step);
  return found;
}
__attribute__((noinline)) static void put_marks(char *p, int bytes, int mark) {
  for (int i = 0; i < bytes; ++i)
    p[i] = (char)(mark + i);
}
#pragma omp end declare target

int main(void) {
  int wrong = 0, zeroed = 0, moved = 0, threads = 0;

  // every predefined allocator, from all threads at once
#pragma omp target teams num_teams(TEAMS) thread_limit(THREADS) \
    reduction(+ : wrong, zeroed, moved, threads)
#pragma omp parallel reduction(+ : wrong, zeroed, moved, threads)
  for (int kind = 0; kind < KINDS; ++kind) {
    threads += 1;
    omp_allocator_handle_t with = kinds[kind];
    int mark = omp_get_thread_num() * 7 + kind;
    wrong += use_up(omp_alloc(20, with), 20, 8, mark, with);
    wrong += use_up(omp_alloc(20, with), 20, 8, mark, omp_null_allocator);
    wrong += use_up(omp_aligned_alloc(128, 40, with), 40, 128, mark, with);
    char *z = omp_calloc(3, 9, with);
    zeroed += count_marks(z, 27, 0, 0);
    put_marks(z, 27, mark);
    z = omp_realloc(z, 100, with, with);
    moved += count_marks(z, 27, mark, 1);
    omp_free(z, omp_null_allocator);
    z = omp_aligned_calloc(64, 2, 8, with);
    zeroed += (uintptr_t)z % 64 == 0 && z[0] == 0 && z[15] == 0;
    omp_free(z, with);
  }
  CHECK("predefined allocators: wrong", wrong, 0);
  CHECK_THAT("zeroed memory", zeroed == threads * 28);
  CHECK_THAT("moved memory", moved == threads * 27);

  // memory of a team: one thread allocates, all use it, another one frees it
  int device = offloads(), sums[TEAMS], unlike = 0;
  for (int t = 0; t < TEAMS; ++t)
    sums[t] = -1;
#pragma omp target teams num_teams(TEAMS) thread_limit(THREADS) map(tofrom : sums)
  {
    int *shared = omp_alloc(sizeof(int) * THREADS, omp_pteam_mem_alloc), sum = 0;
    for (int i = 0; i < THREADS; ++i)
      shared[i] = -1;
#pragma omp parallel for num_threads(THREADS)
    for (int i = 0; i < THREADS; ++i)
      shared[i] = i * omp_get_team_num();
    for (int i = 0; i < THREADS; ++i)
      sum += shared[i];
    sums[omp_get_team_num()] = sum;
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 1 || omp_get_num_threads() == 1)
      omp_free(shared, omp_pteam_mem_alloc);
  }
  for (int t = 0; t < TEAMS; ++t) // the host may have fewer teams
    unlike += sums[t] != THREADS * (THREADS - 1) / 2 * t && (device || sums[t] != -1);
  CHECK("memory of a team: wrong", unlike, 0);

  // traits; not on the host, where a libomp of before LLVM 20 numbers the memory spaces otherwise
  int aligned = !device, limited = 2 * !device, fell_back = !device, refused = !device;
  if (device)
#pragma omp target map(tofrom : aligned, limited, fell_back, refused)
  {
    omp_alloctrait_t small[] = {{omp_atk_pool_size, 4096}, {omp_atk_fallback, omp_atv_null_fb}, {omp_atk_alignment, 256}};
    omp_allocator_handle_t pool = omp_init_allocator(omp_default_mem_space, 3, small);
    char *first = omp_alloc(3000, pool), *second = omp_alloc(3000, pool);
    aligned = first && (uintptr_t)first % 256 == 0;
    limited = second == 0;
    omp_free(first, pool);
    second = omp_alloc(3000, pool);
    limited += second != 0;
    omp_free(second, pool);
    omp_alloctrait_t next[] = {{omp_atk_pool_size, 1}, {omp_atk_fallback, omp_atv_allocator_fb}, {omp_atk_fb_data, pool},
                               {omp_atk_sync_hint, omp_atv_contended}, {omp_atk_pinned, omp_atv_default}};
    omp_allocator_handle_t chained = omp_init_allocator(omp_default_mem_space, 5, next);
    first = omp_alloc(1000, chained);
    fell_back = first && (uintptr_t)first % 256 == 0;
    omp_free(first, omp_null_allocator);
    omp_alloctrait_t odd[] = {{omp_atk_alignment, 24}};
    refused = omp_init_allocator(omp_default_mem_space, 1, odd) == omp_null_allocator;
    omp_destroy_allocator(chained);
    omp_destroy_allocator(pool);
  }
  CHECK("alignment of an allocator", aligned, 1);
  CHECK("limit of an allocator", limited, 2);
  CHECK("fallback to another allocator", fell_back, 1);
  CHECK("an alignment that is none", refused, 1);

  // the default allocator is the task's
  int defaults = 0;
#pragma omp target map(from : defaults)
  {
    defaults = omp_get_default_allocator() == omp_default_mem_alloc;
    omp_set_default_allocator(omp_pteam_mem_alloc);
    defaults += omp_get_default_allocator() == omp_pteam_mem_alloc;
    int *p = omp_alloc(sizeof *p, omp_null_allocator);
    *p = 5;
    defaults += *p == 5;
    omp_free(p, omp_null_allocator);
    omp_set_default_allocator(omp_default_mem_alloc);
  }
  CHECK("default allocator", defaults, 3);

  // directive and clauses
  int directive = 0, clause = 0, own = 0, y = 3;
#pragma omp target map(tofrom : directive)
  {
    int x[4];
#pragma omp allocate(x) allocator(omp_pteam_mem_alloc)
    x[0] = 0;
#pragma omp parallel num_threads(32)
    {
#pragma omp atomic
      x[0] += 1;
    }
    directive = x[0];
  }
  CHECK_THAT("allocate directive", directive >= 1 && directive <= 32);
#pragma omp target uses_allocators(omp_cgroup_mem_alloc, omp_thread_mem_alloc) map(tofrom : clause)
#pragma omp parallel num_threads(8) firstprivate(y) allocate(align(64), allocator(omp_thread_mem_alloc) : y)
  {
    y += omp_get_num_threads() == 0;
#pragma omp atomic
    clause += y == 3;
  }
  CHECK_THAT("allocate clause", clause >= 1 && clause <= 8);
  omp_alloctrait_t traits[1] = {{omp_atk_alignment, 64}};
  omp_allocator_handle_t my;
  if (device) {
#pragma omp target uses_allocators(traits(traits) : my) map(tofrom : own) firstprivate(y) allocate(my : y)
    own = y;
  } else {
    own = y;
  }
  CHECK("uses_allocators with traits", own, 3);

  // memory of the heap stays when the kernel ends
  long later = 0;
#pragma omp target
  {
    kept = omp_alloc(100 * sizeof(long), omp_default_mem_alloc);
    for (int i = 0; i < 100; ++i)
      kept[i] = i;
  }
#pragma omp target map(from : later)
  {
    later = 0;
    for (int i = 0; i < 100; ++i)
      later += kept[i];
    omp_free(kept, omp_default_mem_alloc);
  }
  CHECK("memory of an earlier kernel", later, 4950);

  // serial variables that regions share: from all threads of wide teams, more than the team's shared memory holds
  static int doubled[TEAMS][512];
  for (int width = 32; width <= 512; width *= 16) {
    int wide = 0;
    memset(doubled, 0, sizeof doubled);
#pragma omp target teams num_teams(TEAMS) thread_limit(512) map(tofrom : doubled)
#pragma omp parallel num_threads(width)
    {
      int s = 0, me = omp_get_thread_num();
      for (int r = 0; r < 4; ++r)
        s += twice(me + 1);
      doubled[omp_get_team_num()][me] = s;
    }
    for (int t = 0; t < TEAMS; ++t)
      for (int i = 0; i < width; ++i)
        wide += doubled[t][i] != 0 && doubled[t][i] != 8 * (i + 1);
    CHECK("shared serial variables: wrong", wide, 0);
    CHECK("shared serial variables: first thread", doubled[0][0], 8);
  }
  return finish();
}
