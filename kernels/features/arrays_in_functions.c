// Arrays and structures of serial code and of regions that functions change through pointers, functions that are not inlined: what LLVM says
// of their memory must stay right when the arrays move to shared memory or to the stack (docs/upstream.md).
#include <omp.h>
#include <stdio.h>
#include <string.h>

typedef struct {
  int a[6];
  double d;
} Record;

#pragma omp declare target
__attribute__((noinline)) static int number(const int *from, int count) {
  int result = 0;
  for (int k = 0; k < count; k++)
    result = result * 10 + from[k];
  return result;
}
__attribute__((noinline)) static void shift(int *p, int count) {
  memmove(p + 1, p, (count - 1) * sizeof *p);
  p[0] = 9;
}
__attribute__((noinline)) static Record record(int i) {
  Record made = {{i, i + 1, i + 2}, i * 0.5};
  return made;
}
#pragma omp end declare target

int main(void) {
  volatile int given = 3;
  int i = given, serial = 0, region = 0, single = 0, own = 0, records = 0, last = 0;
#pragma omp target map(tofrom : serial) firstprivate(i)
  {
    int a[6] = {1, 2, 3, 4, 5, 6};
    shift(a, 6);
    shift(a, i + 2);
    serial = number(a, 6);
  }
#pragma omp target map(tofrom : region)
  {
    int a[6] = {1, 2, 3, 4, 5, 6};
#pragma omp parallel num_threads(4)
    {
#pragma omp master
      shift(a, 6);
    }
    region = number(a, 6);
  }
#pragma omp target map(tofrom : single)
  {
    int a[6] = {1, 2, 3, 4, 5, 6};
#pragma omp parallel num_threads(4)
    {
#pragma omp single
      shift(a, 6);
#pragma omp critical
      a[2] |= 4;
    }
    single = number(a, 6);
  }
#pragma omp target map(tofrom : own)
  {
    int a[6] = {1, 2, 3, 4, 5, 6};
#pragma omp parallel for reduction(+ : own)
    for (int k = 0; k < 64; k++) {
      int b[6];
      memcpy(b, a, sizeof b);
      shift(b, 6);
      own += number(b, 6) % (k + 1);
    }
  }
#pragma omp target map(tofrom : records) firstprivate(i)
  {
    Record s = record(i), t = record(i + 2), u = s;
    s = t;
    t = u;
    shift(s.a, 3);
    records = number(s.a, 3) * 1000 + number(t.a, 3) + (int)(s.d * 4);
  }
#pragma omp target teams distribute num_teams(2) map(tofrom : last) firstprivate(i)
  for (int k = 0; k < 2; k++) {
    int a[6] = {0};
    for (int l = 0; l < 6; l++)
      a[l] = l + k;
    shift(a, 6);
    int sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int l = 0; l < 6; l++)
      sum += a[l];
    if (k == 1)
      last = sum * 1000000 + number(a, 6);
  }
  printf("%d %d %d %d %d %d\n", serial, region, single, own, records, last);
  return !(serial == 991235 && region == 912345 && single == 916345 && records == 956355 && last == 24912345);
}
