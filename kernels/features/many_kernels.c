// More kernels than openmp-opt may ask the runtime for by name (passes/src/many_callees.rs): regions, reductions in a team and over
// teams, serial code around regions, and functions that get the region's function through another one of the runtime.
#include <omp.h>
#include <stdio.h>

#define N 500

#define KERNELS(n)                                                                                                     \
  static long spmd_##n(const int *a) {                                                                                 \
    long sum = n;                                                                                                      \
    _Pragma("omp target teams distribute parallel for reduction(+ : sum) map(to : a[0 : N])") for (int i = 0; i < N; i++) \
        sum += a[i] * n;                                                                                               \
    return sum;                                                                                                        \
  }                                                                                                                    \
  static long generic_##n(const int *a) {                                                                              \
    long sum = 0;                                                                                                      \
    _Pragma("omp target teams num_teams(1) thread_limit(64) reduction(+ : sum) map(to : a[0 : N])") {                  \
      long team = n;                                                                                                   \
      _Pragma("omp parallel for reduction(+ : team)") for (int i = 0; i < N; i++) team += a[i] % (n + 1);              \
      sum += team;                                                                                                     \
      _Pragma("omp parallel num_threads(3)") {                                                                         \
        if (omp_get_thread_num() == 0)                                                                                 \
          sum += n;                                                                                                    \
      }                                                                                                                \
    }                                                                                                                  \
    return sum;                                                                                                        \
  }                                                                                                                    \
  static long in_a_region_##n(const int *a) {                                                                          \
    long most = -1;                                                                                                    \
    _Pragma("omp target parallel num_threads(32) map(to : a[0 : N]) reduction(max : most)") {                          \
      _Pragma("omp for") for (int i = 0; i < N; i++) {                                                                 \
        if (a[i] % (n + 2) > most)                                                                                     \
          most = a[i] % (n + 2);                                                                                       \
      }                                                                                                                \
    }                                                                                                                  \
    return most;                                                                                                       \
  }
#define ALL(f)                                                                                                         \
  f(1) f(2) f(3) f(4) f(5) f(6) f(7) f(8) f(9) f(10) f(11) f(12) f(13) f(14) f(15) f(16) f(17) f(18) f(19) f(20)
ALL(KERNELS)

#define REPORT(n) printf("%d: %ld %ld %ld\n", n, spmd_##n(a), generic_##n(a), in_a_region_##n(a));

int main(void) {
  int a[N];
  for (int i = 0; i < N; i++)
    a[i] = i * 7 % 101;
  ALL(REPORT)
  return 0;
}
