/* Compiled by parse_clang.rs; never run. */
#include <omp.h>
#include <stdint.h>

typedef struct { double x; float y; short z; char c; } mixed;
typedef int (*operation)(int, mixed);

#pragma omp begin declare target
double table[4] = {1.0, 2.0, 3.0, 4.0};
static int negate(int a, mixed m) { return -a + m.z; }
static int twice(int a, mixed m) { return 2 * a - (int)m.x; }
operation operations[2] = {negate, twice};
int *pointers[2] = {(int *)&table[1], (int *)&table[3]};

__attribute__((noinline)) int dispatch(int which, int a, mixed m) {
  switch (which) {
  case 0: return a;
  case 1: return a * 3;
  case 2: return a / 5;
  case 3: return a % 7;
  case 4: return operations[a & 1](a, m);
  case 5: return (int)((unsigned)a >> 3);
  default: return *pointers[a & 1];
  }
}
#pragma omp end declare target

double reductions(double *a, float *b, int *c, long n) {
  double sum = 0;
  float largest = 0;
  int bits = 0;
#pragma omp target teams distribute parallel for reduction(+ : sum) reduction(max : largest) reduction(^ : bits) \
    map(to : a[:n], b[:n], c[:n])
  for (long i = 0; i < n; i++) {
    sum += a[i] * table[i & 3];
    largest = b[i] > largest ? b[i] : largest;
    bits ^= c[i];
  }
  return sum + largest + bits;
}

int generic(int *result, int n) {
  int shared = n;
  int8_t small[32];
#pragma omp target map(tofrom : result[:n], shared) map(alloc : small)
  {
    for (int i = 0; i < 32; i++)
      small[i] = (int8_t)(i * n);
#pragma omp parallel num_threads(64)
    {
      int me = omp_get_thread_num();
      result[me % n] = dispatch(me & 7, small[me & 31], (mixed){me, 2.5f, 3, 'c'});
#pragma omp barrier
#pragma omp critical
      shared += result[me % n];
#pragma omp single
      shared++;
    }
    if (omp_get_num_teams() > 1)
#pragma omp parallel for schedule(dynamic)
      for (int i = 0; i < n; i++)
        result[i] += shared;
  }
  return shared;
}

void atomics(int32_t *i, uint64_t *u, float *f, double *d, int16_t *s) {
#pragma omp target teams distribute parallel for map(tofrom : i[:4], u[:4], f[:1], d[:1], s[:1])
  for (int k = 0; k < 1000; k++) {
#pragma omp atomic
    i[0] += k;
#pragma omp atomic capture
    { i[2] = i[1]; i[1] |= k; }
    uint64_t bound = (uint64_t)k;
#pragma omp atomic compare
    if (u[0] < bound) { u[0] = bound; }
#pragma omp atomic seq_cst
    u[1] &= ~(uint64_t)k;
#pragma omp atomic
    f[0] += 0.5f;
#pragma omp atomic write release
    d[0] = k;
#pragma omp atomic
    s[0] += 1;
  }
}

void types(int8_t *a, uint8_t *b, int16_t *c, uint32_t *d, int64_t *e, _Float16 *f, float *g, double *h) {
#pragma omp target parallel for map(tofrom : a[:64], b[:64], c[:64], d[:64], e[:64], f[:64], g[:64], h[:64])
  for (int i = 0; i < 64; i++) {
    a[i] = (int8_t)(b[i] * 3 - c[i]);
    c[i] = (int16_t)(c[i] / (b[i] + 1));
    d[i] = (d[i] << (i & 7)) | (d[i] >> (32 - (i & 7)));
    e[i] = e[i] % (i + 3) + (int64_t)h[i];
    f[i] = f[i] * (_Float16)2 + (_Float16)i;
    g[i] = (float)e[i] + (float)f[i] - (float)__builtin_popcount(d[i]);
    h[i] = __builtin_sqrt(h[i]) + __builtin_floor(g[i]) + (double)d[i] + __builtin_copysign(1.0, h[i]);
  }
}
