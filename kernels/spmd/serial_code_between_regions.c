// Serial code between two parallel regions: stores, a loop, a function, a value that the second region starts with, a value
// that only serial code has; and functions that ask the runtime where they are.
#include "shape.h"
#include <omp.h>

static int step(int *a, int k) { return a[k] * 3 + k; }
#pragma omp declare target
__attribute__((noinline)) static int where(void) { return 10 * omp_get_level() + omp_in_parallel(); }
#pragma omp end declare target

void f(int *a, int *b, int n, float scale, int *out) {
#pragma omp target map(tofrom : a[0 : n], b[0 : n]) map(tofrom : out[0 : 6])
  {
    int kept = a[1];
    float half = scale * a[2];
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      a[i] += i;
    // What was loaded before, changed; a loop; a call.
    out[0] = a[3] + kept;
    for (int i = 1; i < n; i++)
      b[i] = b[i - 1] ^ a[i];
    int first = step(a, 4);
    out[1] = (int)(half * first);
#pragma omp parallel for firstprivate(first)
    for (int i = 0; i < n; i++) {
      first += b[i];
      a[i] += first > 0 ? b[i] & 7 : 1;
    }
    // The same in a loop: each turn tells a new value.
    for (int turn = 0; turn < 3; turn++) {
#pragma omp parallel for
      for (int i = 0; i < n; i++)
        a[i] += turn;
      int seed = a[turn] + a[n - 1 - turn];
      a[turn] = 0;
#pragma omp parallel for firstprivate(seed)
      for (int i = 0; i < n; i++)
        b[i] += seed & i;
      out[2] += b[turn];
    }
    // These stay apart: serial code stays serial.
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      a[i] += b[i] & 3;
    out[3] = where() + a[5];
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      b[i] -= a[i] & 1;
    out[4] = 10 * omp_get_level() + omp_in_parallel() + b[6];
#pragma omp parallel for num_threads(32)
    for (int i = 0; i < n; i++)
      a[i] -= i;
    a[7] = 1;
#pragma omp parallel for num_threads(32)
    for (int i = 0; i < n; i++)
      a[i] ^= b[i];
    out[5] = where();
  }
}

int main(void) {
  int a[N], b[N], out[6] = {0};
  FILL(a);
  FILL(b);
  f(a, b, N, 0.5f, out);
  SHOW(a);
  SHOW(b);
  SHOW(out);
}
