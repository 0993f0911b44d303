// Map types and reference counts: to, from, tofrom, alloc, nesting, update, always, delete, release, array sections.
#include "check.h"

enum { N = 100 };

static int all(const int *v, int n, int want) {
  for (int i = 0; i < n; ++i)
    if (v[i] != want)
      return 0;
  return 1;
}

static void fill(int *v, int n, int value) {
  for (int i = 0; i < n; ++i)
    v[i] = value;
}

int main(void) {
  int device = offloads(), number = omp_get_default_device();
  int a[N], b[N], c[N];

  // `to` does not come back, `from` is not sent
  fill(a, N, 1), fill(b, N, 2), fill(c, N, 3);
#pragma omp target map(to : a) map(from : b) map(tofrom : c)
  for (int i = 0; i < N; ++i) {
    b[i] = a[i] + 10;
    c[i] = c[i] + a[i];
    a[i] = 99;
  }
  CHECK_THAT("to: the host keeps its copy", all(a, N, device ? 1 : 99));
  CHECK("from: comes back", b[N - 1], 11);
  CHECK("tofrom: both ways", all(c, N, 4), 1);

  // inside target data nothing moves until the end or an update
  fill(a, N, 1);
#pragma omp target data map(tofrom : a)
  {
#pragma omp target
    for (int i = 0; i < N; ++i)
      a[i] += 1;
    CHECK_THAT("target data: no copy back in between", all(a, N, device ? 1 : 2));
#pragma omp target update from(a[10 : 20])
    CHECK("update from: the section came", all(a + 10, 20, 2), 1);
    CHECK_THAT("update from: only the section came", all(a, 10, device ? 1 : 2) && all(a + 30, N - 30, device ? 1 : 2));
    fill(a, N, 50);
#pragma omp target update to(a[0 : 10])
#pragma omp target
    for (int i = 0; i < N; ++i)
      a[i] += 1;
  }
  CHECK("update to: the section went", all(a, 10, 51), 1);
  CHECK_THAT("update to: only the section went", all(a + 10, N - 10, device ? 3 : 51));

  // the inner map finds the data present: no copy in either direction, unless `always`
  fill(a, N, 1);
#pragma omp target data map(to : a)
  {
    fill(a, N, 5);
#pragma omp target map(tofrom : a)
    for (int i = 0; i < N; ++i)
      a[i] += 1;
    CHECK_THAT("nested: present data does not move", all(a, N, device ? 5 : 6));
    fill(a, N, 7);
#pragma omp target map(always, tofrom : a)
    for (int i = 0; i < N; ++i)
      a[i] += 1;
    CHECK("always: moves both ways", all(a, N, 8), 1);
  }
  CHECK("outer to: nothing comes back at the end", all(a, N, 8), 1);

  // enter and exit data, counted
  fill(b, N, 1);
#pragma omp target enter data map(to : b)
#pragma omp target enter data map(to : b)
  CHECK_THAT("enter data: present", omp_target_is_present(b, number));
#pragma omp target
  for (int i = 0; i < N; ++i)
    b[i] += 1;
#pragma omp target exit data map(from : b)
  CHECK_THAT("exit data: count 1 left, no copy", all(b, N, device ? 1 : 2));
  CHECK_THAT("exit data: count 1 left, present", omp_target_is_present(b, number));
#pragma omp target exit data map(from : b)
  CHECK("exit data: last one copies", all(b, N, 2), 1);
  CHECK_THAT("exit data: last one removes", omp_target_is_present(b, number) == !device);

  // delete drops all counts and copies nothing; release counts down and copies nothing
  fill(c, N, 1);
#pragma omp target enter data map(to : c)
#pragma omp target enter data map(to : c)
#pragma omp target
  c[0] = 9;
#pragma omp target exit data map(delete : c)
  CHECK_THAT("delete: removes at once", omp_target_is_present(c, number) == !device);
  CHECK_THAT("delete: no copy", c[0] == (device ? 1 : 9));
#pragma omp target enter data map(alloc : c)
#pragma omp target exit data map(release : c)
  CHECK_THAT("release: removes", omp_target_is_present(c, number) == !device);

  // a section with an offset; the base pointer stands before the mapped memory
  int *p = a;
  fill(a, N, 0);
#pragma omp target map(tofrom : p[40 : 20])
  for (int i = 40; i < 60; ++i)
    p[i] = i;
  int sum = 0;
  for (int i = 0; i < N; ++i)
    sum += a[i];
  CHECK("section with offset", sum, (40 + 59) * 20 / 2);

  // two sections of one array at a time, and a section within a mapped one
  fill(a, N, 1);
#pragma omp target data map(tofrom : a[0 : 30])
#pragma omp target data map(tofrom : a[60 : 30])
  {
#pragma omp target map(tofrom : a[5 : 10])
    for (int i = 5; i < 15; ++i)
      a[i] = 2;
#pragma omp target map(tofrom : a[60 : 30])
    for (int i = 60; i < 90; ++i)
      a[i] = 3;
  }
  CHECK("two sections", all(a + 5, 10, 2) && all(a + 60, 30, 3) && all(a, 5, 1) && all(a + 30, 30, 1), 1);

  // a pointer that is not mapped by the region finds the data that is there
#pragma omp target data map(tofrom : a)
  {
#pragma omp target
    for (int i = 0; i < N; ++i)
      p[i] = 77;
  }
  CHECK("implicit pointer finds present data", all(a, N, 77), 1);

  // an empty section maps nothing and is no error
#pragma omp target map(tofrom : p[0 : 0]) map(from : sum)
  sum = p == 0;
  CHECK_THAT("empty section of absent data: null or unchanged", sum == 0 || device);

  // if(0) on data directives
  fill(a, N, 1);
#pragma omp target enter data map(to : a) if (0)
  CHECK_THAT("enter data if(0): not mapped", omp_target_is_present(a, number) == !device);
  return finish();
}
