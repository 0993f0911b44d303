// Constants that a target region uses and nobody maps: they go to the device, and nothing comes back to where nobody may write.
#include "check.h"
#include <string.h>

enum { N = 64 };

static const int squares[4] = {0, 1, 4, 9};
static const struct {
  double factor;
  int shift[3];
} scale = {2.5, {1, 2, 3}};
// The loader writes its addresses, and then nobody may.
static const char *const names[3] = {"zero", "one", "two"};

int main(int argc, char **argv) {
  (void)argv;
  offloads();
  static const unsigned short local[N] = {[7] = 7, [N - 1] = 99};
  int sum = 0, region[N] = {0};
  double scaled = 0;
  const char *second = 0;
#pragma omp target map(tofrom : sum, scaled, second)
  {
    for (int i = 0; i < 4; ++i)
      sum += squares[i * argc & 3];
    for (int i = 0; i < 3; ++i)
      scaled += scale.factor * scale.shift[i * argc % 3];
    second = names[argc];
  }
  CHECK("an array", sum, 14);
  CHECK("a structure", (int)scaled, 15);
  CHECK_THAT("addresses", strcmp(second, "one") == 0);

#pragma omp target teams distribute parallel for
  for (int i = 0; i < N; ++i)
    region[i] = local[(i + argc) % N] + squares[i & 3];
  // A variable that nobody maps comes back, as before.
  int right = 1;
  for (int i = 0; i < N; ++i)
    right &= region[i] == (i == 6 ? 7 : i == N - 2 ? 99 : 0) + squares[i & 3];
  CHECK_THAT("an array of a function, in a loop", right);
  return finish();
}
