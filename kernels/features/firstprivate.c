// What a region gets by value: literals of every size, firstprivate arrays and structures, private, pointers in
// their several clauses, and defaultmap.
#include "check.h"
#include <stdlib.h>

struct big {
  double values[40];
  int n;
};

int main(void) {
  int device = offloads();

  char c = -3;
  unsigned char uc = 200;
  short s = -30000;
  int i = -2000000000;
  unsigned u = 4000000000u;
  long l = -9000000000000000000;
  float f = 1.25f;
  double d = -0.1;
  _Bool yes = 1;
  long long integers = 0;
  double reals = 0;
#pragma omp target map(from : integers, reals)
  {
    integers = (c == -3) + 10 * (uc == 200) + 100 * (s == -30000) + 1000 * (i == -2000000000);
    integers += 10000 * (u == 4000000000u) + 100000 * (l == -9000000000000000000) + 1000000 * (yes == 1);
    reals = f * 4 + d;
    i = 1;
    d = 2;
  }
  CHECK("scalars of every size", integers, 1111111);
  CHECK("float and double", reals, 1.25 * 4 + -0.1);
  CHECK("scalars are firstprivate: the host's stay", i, -2000000000);
  CHECK("doubles are firstprivate: the host's stay", d, -0.1);

  int array[100];
  for (int k = 0; k < 100; ++k)
    array[k] = k;
  struct big b = {{0}, 40};
  for (int k = 0; k < 40; ++k)
    b.values[k] = k * 0.5;
  long sum = 0;
  double total = 0;
#pragma omp target firstprivate(array, b) map(from : sum, total)
  {
    sum = 0, total = 0;
    for (int k = 0; k < 100; ++k)
      sum += array[k], array[k] = -1;
    for (int k = 0; k < b.n; ++k)
      total += b.values[k];
  }
  CHECK("firstprivate array", sum, 4950);
  CHECK("firstprivate structure", total, 390.0);
  CHECK("firstprivate array: the host's stays", array[99], 99);

  // each thread has its own copy
  int base = 10, wrong = 0;
#pragma omp target teams distribute parallel for firstprivate(base) map(tofrom : array) reduction(+ : wrong)
  for (int k = 0; k < 100; ++k) {
    int before = base;
    base = k;
    array[k] += before < 0;
    wrong += base != k;
    base = before;
  }
  CHECK("firstprivate of threads", wrong, 0);

  int scratch = 1234, ok = 0;
#pragma omp target private(scratch) map(from : ok)
  {
    scratch = 1;
    ok = scratch;
  }
  CHECK("private", ok * 10000 + scratch, 11234);

  // device pointers
  int number = omp_get_default_device();
  int *raw = omp_target_alloc(50 * sizeof(int), number);
  CHECK_THAT("omp_target_alloc", raw != 0);
  int *back = calloc(50, sizeof(int));
#pragma omp target is_device_ptr(raw)
  for (int k = 0; k < 50; ++k)
    raw[k] = k * k;
  CHECK("omp_target_memcpy", omp_target_memcpy(back, raw, 50 * sizeof(int), 0, 0, omp_get_initial_device(), number), 0);
  CHECK("is_device_ptr", back[49], 49 * 49);
  omp_target_free(raw, number);

  int differs = 0;
#pragma omp target data map(tofrom : back[0 : 50]) use_device_ptr(back)
  {
    int *inside = back;
#pragma omp target is_device_ptr(inside) map(from : differs)
    {
      differs = 1;
      inside[0] = 5;
    }
  }
  CHECK("use_device_ptr", back[0] * 10 + differs, 51);
#pragma omp target data map(tofrom : array) use_device_addr(array)
  {
    int *inside = array;
#pragma omp target is_device_ptr(inside)
    inside[1] = 321;
  }
  CHECK("use_device_addr", array[1], 321);

  int mapped = 3;
#pragma omp target defaultmap(tofrom : scalar)
  mapped *= 7;
  CHECK("defaultmap(tofrom: scalar)", mapped, 21);

  int *null_pointer = 0, is_null = 0;
#pragma omp target map(from : is_null)
  is_null = null_pointer == 0;
  CHECK("a null pointer stays null", is_null, 1);
  (void)device;
  free(back);
  return finish();
}
