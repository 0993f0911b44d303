// Calls through pointers of the host (`declare target indirect`): the device runtime finds the function on the device.
// clang 22 writes no look-up itself, so the program calls it.
#include "check.h"

#pragma omp begin declare target indirect
int increment(int x) { return x + 1; }
int twice(int x) { return x * 2; }
int less(int x) { return x - 7; }
#pragma omp end declare target

typedef int function(int);

#ifdef __NVPTX__
void *__llvm_omp_indirect_call_lookup(void *);
#else
static void *__llvm_omp_indirect_call_lookup(void *pointer) { return pointer; }
#endif

#pragma omp begin declare target
static function *device_function(void *pointer) { return (function *)__llvm_omp_indirect_call_lookup(pointer); }
// The compiler must not see which function a pointer is.
function *chosen_here;
#pragma omp end declare target

int main(void) {
  function *functions[3] = {increment, twice, less};
  int got[3], sum = 0;
#pragma omp target map(to : functions) map(from : got)
  for (int i = 0; i < 3; ++i)
    got[i] = device_function((void *)functions[i])(40);
  CHECK("first function", got[0], 41);
  CHECK("second function", got[1], 80);
  CHECK("third function", got[2], 33);

  // every thread calls another one
#pragma omp target teams distribute parallel for map(to : functions) reduction(+ : sum)
  for (int i = 0; i < 300; ++i)
    sum += device_function((void *)functions[i % 3])(i);
  CHECK("functions in a loop", sum, 59200);

  // pointers that are not in the table come back unchanged, those between and around its entries too
  int unchanged = 0, right = 0;
#pragma omp target map(to : functions) map(from : unchanged, right)
  {
    unchanged = __llvm_omp_indirect_call_lookup(0) == 0;
    for (int i = 0; i < 3; ++i) {
      char *near = (char *)functions[i];
      unchanged += __llvm_omp_indirect_call_lookup(near + 1) == near + 1;
      unchanged += __llvm_omp_indirect_call_lookup(near - 1) == near - 1;
    }
    chosen_here = less;
    right = device_function((void *)chosen_here)(10);
  }
  CHECK("unknown pointers", unchanged, 7);
  CHECK("a pointer of the device", right, 3);
  return finish();
}
