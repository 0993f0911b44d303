// Serial code of a kernel calls functions of another file, `inner_other.c`, which have regions inside regions.
#include <stdio.h>

#pragma omp begin declare target
long sections_with_regions(int n);
long own_counts(int n);
#pragma omp end declare target

int main(void) {
  long found[3][2];
#pragma omp target teams num_teams(3) thread_limit(96) map(from : found)
  {
#pragma omp distribute
    for (int i = 0; i < 3; ++i) {
      found[i][0] = sections_with_regions(10 + i);
      found[i][1] = own_counts(4 + i);
    }
  }
  for (int i = 0; i < 3; ++i)
    printf("%ld %ld\n", found[i][0], found[i][1]);
}
