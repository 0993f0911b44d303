// The loops that flang calls with a function for the body: each iteration once, for any chunk.
#include "../features/check.h"
#include <stdint.h>

enum { N = 1003, CHUNKS = 7 };

#pragma omp begin declare target
#ifdef __NVPTX__
extern void __kmpc_for_static_loop_4u(void *, void (*)(uint32_t, void *), void *, uint32_t, uint32_t, uint32_t, uint8_t);
extern void __kmpc_distribute_static_loop_4u(void *, void (*)(uint32_t, void *), void *, uint32_t, uint32_t, uint8_t);
extern void __kmpc_distribute_for_static_loop_4u(void *, void (*)(uint32_t, void *), void *, uint32_t, uint32_t,
                                                 uint32_t, uint32_t, uint8_t);
#endif
static void visit(uint32_t i, void *visits) {
#pragma omp atomic
  ((int *)visits)[i] += 1;
}
#pragma omp end declare target

static int loop[CHUNKS][N], teams[CHUNKS][N], both[CHUNKS][N];

int main(void) {
#pragma omp target parallel map(tofrom : loop) num_threads(96)
  for (int c = 0; c < CHUNKS; ++c) {
#ifdef __NVPTX__
    __kmpc_for_static_loop_4u(0, visit, loop[c], N, omp_get_num_threads(), c, 0);
#else
#pragma omp for
    for (int i = 0; i < N; ++i)
      visit(i, loop[c]);
#endif
  }
#pragma omp target teams num_teams(5) map(tofrom : teams)
  for (int c = 0; c < CHUNKS; ++c) {
#ifdef __NVPTX__
    __kmpc_distribute_static_loop_4u(0, visit, teams[c], N, c, 0);
#else
#pragma omp distribute
    for (int i = 0; i < N; ++i)
      visit(i, teams[c]);
#endif
  }
#pragma omp target teams num_teams(5) thread_limit(64) map(tofrom : both)
#pragma omp parallel
  for (int c = 0; c < CHUNKS; ++c) {
#ifdef __NVPTX__
    __kmpc_distribute_for_static_loop_4u(0, visit, both[c], N, omp_get_num_threads(), 4 * c, c, 0);
#else
    if (omp_get_team_num() == 0)
#pragma omp for
      for (int i = 0; i < N; ++i)
        visit(i, both[c]);
#endif
  }
  for (int c = 0; c < CHUNKS; ++c) {
    int wrong[3] = {0};
    for (int i = 0; i < N; ++i) {
      wrong[0] += loop[c][i] != 1;
      wrong[1] += teams[c][i] != 1;
      wrong[2] += both[c][i] != 1;
    }
    printf("chunk %d: ", c);
    CHECK("for", wrong[0], 0);
    CHECK("  distribute", wrong[1], 0);
    CHECK("  distribute for", wrong[2], 0);
  }
  return finish();
}
