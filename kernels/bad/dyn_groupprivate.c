// Asks for more shared memory than a team can have, and nothing else in its place.
#include <stdio.h>

int main(void) {
  int ran = 0;
  printf("before\n");
#pragma omp target teams num_teams(2) dyn_groupprivate(fallback(abort) : 1 << 20) map(tofrom : ran)
  ran = 1;
  printf("after\n");
  return 0;
}
