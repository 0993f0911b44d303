// `lastprivate` of loops that all threads of a league share. clang 22 alone compiles this wrong (docs/upstream.md); the
// passes know where the last iteration is, or give a team one variable for what it has last.
#include <stdio.h>

struct pair {
  int a;
  double b;
};

int main(void) {
  enum { N = 777 };
  int n = N, last = -1, k = -1, list[3] = {-1, -1, -1};
  long wide = -1;
  unsigned own = 0;
  struct pair pair = {-1, -1};
#pragma omp target teams distribute parallel for lastprivate(last) map(tofrom : last)
  for (int i = 0; i < n; i++)
    last = i * 2;
  printf("a number: %d\n", last);
#pragma omp target teams distribute parallel for simd lastprivate(wide) num_teams(2) map(tofrom : wide)
  for (int i = n - 1; i >= 0; i--)
    wide = i * 3L + 1;
  printf("two teams, simd, down: %ld\n", wide);
#pragma omp target teams distribute parallel for lastprivate(pair, list, last) map(tofrom : pair, list, last)
  for (unsigned long i = 0; i < N; i++) {
    pair.a = i;
    pair.b = i * 0.5;
    for (int j = 0; j < 3; j++)
      list[j] = i + j;
    last = -list[2];
  }
  printf("structure and array: %d %g %d %d %d %d\n", pair.a, pair.b, list[0], list[1], list[2], last);
#pragma omp target teams distribute parallel for lastprivate(k) map(tofrom : k)
  for (k = 5; k < n; k += 2)
    ;
  printf("the loop's own: %d\n", k);
#pragma omp target teams distribute parallel for schedule(static, 3) lastprivate(last, pair) map(tofrom : last, pair)
  for (int i = 0; i < n; i++) {
    last = i * 5;
    pair.a = i + 1;
  }
  printf("chunks: %d %d\n", last, pair.a);
#pragma omp target teams distribute parallel for num_teams(4) dist_schedule(static, 16) schedule(static, 2)           \
    lastprivate(last) map(tofrom : last)
  for (int i = 0; i < n; i++)
    last = i * 7;
  printf("chunks of both: %d\n", last);
#pragma omp target teams num_teams(3) map(tofrom : last, wide)
  {
#pragma omp distribute parallel for lastprivate(last) dist_schedule(static, 8)
    for (int i = 0; i < n; i++)
      last = i * 9;
#pragma omp distribute parallel for lastprivate(wide) schedule(guided)
    for (int i = 0; i < n; i++)
      wide = i * 11;
  }
  printf("one behind the other: %d %ld\n", last, wide);
#pragma omp target teams distribute parallel for collapse(2) lastprivate(own) map(tofrom : own)
  for (unsigned i = 0; i < 21; i++)
    for (unsigned j = 0; j < 37; j++)
      own = i * 100 + j;
  printf("collapsed: %u\n", own);
}
