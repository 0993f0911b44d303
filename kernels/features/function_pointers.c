// Pointers to `declare target indirect` functions that kernels capture: on the device they are those of the device's functions.
#include "check.h"

#pragma omp begin declare target indirect
int increment(int x) { return x + 1; }
int twice(int x) { return x * 2; }
#pragma omp end declare target

typedef int function(int);

// Not static: the compiler must not see which function it chooses.
function *choose(int which) { return which ? twice : increment; }

int main(void) {
  function *first = choose(0), *second = choose(1), *none = 0;
  int got[3] = {0}, same = 0, there = 0;
#pragma omp target map(from : got, same)
  {
    got[0] = first(40);
    got[1] = second(40);
    got[2] = none == 0;
    same = first == increment && second == twice;
  }
  CHECK("first function", got[0], 41);
  CHECK("second function", got[1], 80);
  CHECK("a null pointer", got[2], 1);
  CHECK_THAT("the device's own functions", same);

  int sum = 0;
#pragma omp target teams distribute parallel for reduction(+ : sum)
  for (int i = 0; i < 300; ++i)
    sum += i % 2 ? first(i) : second(i);
  CHECK("functions in a loop", sum, 67350);

  // What a kernel hands out is the device's.
  function *got_back = 0;
#pragma omp target map(from : got_back)
  got_back = second;
#pragma omp target map(from : there) is_device_ptr(got_back)
  there = got_back(4);
  CHECK("a pointer that was handed out", there, 8);
  return finish();
}
