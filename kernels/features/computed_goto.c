// Labels as values: an interpreter of a small machine, on the device. GPUs have no jump to an address, and LLVM's copies of such a function jump
// into the original.
#include "check.h"

#pragma omp begin declare target
// Codes: 0 ends, 1 adds the next number, 2 multiplies by it, 3 goes back to the start as long as the result is below it.
static long run(const int *code) {
  static const void *const steps[] = {&&end, &&add, &&multiply, &&repeat};
  const int *at = code;
  long result = 0;
  goto *steps[*at];
add:
  result += at[1];
  at += 2;
  goto *steps[*at];
multiply:
  result *= at[1];
  at += 2;
  goto *steps[*at];
repeat:
  at = result < at[1] ? code : at + 2;
  goto *steps[*at];
end:
  return result;
}

// Labels that are kept and compared, and one that nothing goes to.
static int kept(int n) {
  void *where = n % 3 == 0 ? &&three : n % 3 == 1 ? &&one : &&none;
  int turns = where != (void *)0;
  goto *where;
one:
  turns += 10;
  if (where == &&one)
    return turns;
three:
  return turns + 100;
none:
  return -turns;
}
#pragma omp end declare target

int main(void) {
  static const int program[] = {1, 3, 2, 2, 3, 100, 1, 5, 0};
  long results[64] = {0}, once = 0;
  int wrong = 0, kinds = 0;
#pragma omp target map(tofrom : once)
  once = run(program);
  CHECK("a program", once, run(program));
#pragma omp target teams distribute parallel for map(tofrom : results)
  for (int i = 0; i < 64; i++) {
    const int own[] = {1, i + 1, 2, 2, 3, 50, 0};
    results[i] = run(own) + 1000 * kept(i);
  }
  for (int i = 0; i < 64; i++) {
    const int own[] = {1, i + 1, 2, 2, 3, 50, 0};
    wrong += results[i] != run(own) + 1000 * kept(i);
    kinds += kept(i) == -1;
  }
  CHECK("programs of all threads", wrong, 0);
  CHECK("of them with the last label", kinds, 21);
  return finish();
}
