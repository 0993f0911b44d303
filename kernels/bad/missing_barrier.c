// A barrier is missing between the two loops: a thread reads what one of the warp before writes. Warps that run one
// after the other do not show it.
#include <stdio.h>

int main(void) {
  int from[128] = {0}, to[128] = {0};
#pragma omp target teams num_teams(1) thread_limit(128) map(tofrom : from, to)
#pragma omp parallel num_threads(128)
  {
#pragma omp for nowait schedule(static, 1)
    for (int i = 0; i < 128; i++)
      from[i] = i + 1;
#pragma omp for schedule(static, 1)
    for (int i = 32; i < 128; i++)
      to[i] = from[i < 64 ? i - 32 : i - 64];
  }
  int wrong = 0;
  for (int i = 32; i < 128; i++)
    wrong += to[i] != (i < 64 ? i - 32 : i - 64) + 1;
  printf("%s\n", wrong ? "wrong" : "right");
}
