// Global variables and functions of `declare target`: initial values, update both ways, static and constant data,
// recursion, calls between kernels, and state that stays on the device from kernel to kernel.
#include "check.h"

#pragma omp begin declare target
int counter = 5;
double table[4] = {1.5, 2.5, 3.5, 4.5};
static int offset = 30;
const int primes[6] = {2, 3, 5, 7, 11, 13};
struct record {
  int a, c; // no padding: clang-22 refuses an initialised global with padding ("the address is invalid")
  long b;
};
struct record record = {3, 0, 4};
int big[1000];

int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
static int even(int n);
static int odd(int n) { return n == 0 ? 0 : even(n - 1); }
static int even(int n) { return n == 0 ? 1 : odd(n - 1); }
void bump(int by) { counter += by; }
#pragma omp end declare target

int linked = 7;
#pragma omp declare target to(linked)

int main(void) {
  int device = offloads(), got = 0;
  double sum = 0;

#pragma omp target map(from : got, sum)
  {
    got = counter;
    sum = table[0] + table[3];
    bump(1);
  }
  CHECK("initial value on the device", got, 5);
  CHECK("array", sum, 6.0);
  CHECK_THAT("the host's copy is its own", counter == (device ? 5 : 6));

#pragma omp target map(from : got)
  got = counter;
  CHECK("value stays from kernel to kernel", got, 6);

  counter = 40;
#pragma omp target update to(counter)
#pragma omp target
  bump(2);
#pragma omp target update from(counter)
  CHECK("update to, kernel, update from", counter, 42);

  for (int i = 0; i < 4; ++i)
    table[i] = i;
#pragma omp target update to(table[1 : 2])
#pragma omp target map(from : sum)
  sum = table[1] + table[2] + (table[3] == 4.5 || table[3] == 3.0);
  CHECK("update of a section of a global", sum, 4.0);

#pragma omp target map(from : got)
  got = primes[5] * 100 + record.a * 10 + (int)record.b + offset;
  CHECK("constant array, structure, static variable", got, 1364);

#pragma omp target teams distribute parallel for
  for (int i = 0; i < 1000; ++i)
    big[i] = i;
#pragma omp target map(from : got)
  {
    got = 0;
    for (int i = 0; i < 1000; ++i)
      got += big[i];
  }
  CHECK("global array written by one kernel and read by another", got, 499500);

  int f = 0, e = 0;
#pragma omp target map(from : f, e)
  {
    f = factorial(10);
    e = even(17) * 2 + odd(17);
  }
  CHECK("recursion", f, 3628800);
  CHECK("mutual recursion", e, 1);

  // a mapped global of `declare target` is present already: no copy without `always`
  linked = 100;
#pragma omp target map(tofrom : linked)
  linked += 1;
  CHECK_THAT("map of a present global does not copy", linked == (device ? 100 : 101));
#pragma omp target map(always, from : linked)
  linked += 1;
  CHECK_THAT("map(always, from:) of a global copies", linked == (device ? 9 : 102));
  return finish();
}
