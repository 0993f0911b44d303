// A structure with a mapper is mapped once for each construct that maps it, also as a member of another one: constructs
// inside copy nothing, and behind the last one it is not mapped. A section of an array is aligned as the array.
#include "check.h"
#include <stdlib.h>

typedef struct {
  int count;
  double unmapped;
  int *values;
  int last;
} series;
#pragma omp declare mapper(series s) map(s.count, s.last) map(s.values[0 : s.count])

typedef struct {
  int first;
  series inner;
  series *others;
  int not_mapped;
} both;
#pragma omp declare mapper(of_both : both b) map(b.first) map(b.inner) map(b.others[0 : 2])

static series make(int count, int start) {
  series made = {count, 1, malloc(count * sizeof(int)), start};
  for (int i = 0; i < count; ++i)
    made.values[i] = start + i;
  return made;
}

static int is_mapped(const void *place) { return omp_target_is_present(place, omp_get_default_device()); }

static void inner_constructs(int offloads) {
  series s = make(4, 1);
#pragma omp target data map(tofrom : s)
  {
#pragma omp target map(tofrom : s)
    s.values[1] = s.last = 50;
    CHECK("an inner construct copies nothing", s.last, offloads ? 1 : 50);
    CHECK("nor what a pointer leads to", s.values[1], offloads ? 2 : 50);
#pragma omp target map(tofrom : s)
    s.last += s.values[1];
  }
  CHECK("copied at the end", s.last, 100);
  CHECK("what the pointer leads to", s.values[1], 50);
  CHECK("structure, then", is_mapped(&s.last), !offloads);
  CHECK("its values, then", is_mapped(s.values), !offloads);
  free(s.values);
}

// At addresses of variables that were mapped before.
static void same_addresses(void) {
  int values[64];
  for (int i = 0; i < 64; ++i)
    values[i] = i;
#pragma omp target map(tofrom : values)
  for (int i = 0; i < 64; ++i)
    values[i] *= 2;
  CHECK("an array where a structure was", values[63], 126);
}

static void members(int offloads) {
  both b = {1, make(4, 1), malloc(2 * sizeof(series)), 9};
  b.others[0] = make(3, 100);
  b.others[1] = make(6, 200);
  int seen = 0, *inner = b.inner.values, *last = b.others[1].values;
#pragma omp target map(tofrom : b.inner, b.first) map(from : seen)
  {
    seen = b.inner.values[3] + b.first + b.inner.count;
    b.inner.values[1] = 55;
    b.first = 8;
    b.inner.last = 77;
  }
  CHECK("members on the device", seen, 4 + 1 + 4);
  CHECK("values of a member", inner[1], 55);
  CHECK("part of a member with a mapper", b.inner.last, 77);
  CHECK("member beside it", b.first, 8);
#pragma omp target map(mapper(of_both), tofrom : b) map(from : seen)
  {
    seen = b.first + b.inner.last + b.others[0].values[2];
    b.inner.values[2] = 66;
    b.others[1].values[5] = 99;
    b.others[0].count = 2;
  }
  CHECK("mappers inside each other", seen, 8 + 77 + 102);
  CHECK("values of the inner one", inner[2], 66);
  CHECK("values of an array of them", last[5], 99);
  CHECK("part of one in an array", b.others[0].count, 2);
  CHECK("pointers stay", b.inner.values == inner && b.others[1].values == last, 1);
  CHECK("then", is_mapped(&b.inner) || is_mapped(b.others) || is_mapped(last), !offloads);
}

static void sections(int offloads) {
  series all[4];
  int *values[4], seen = 0;
  for (int i = 0; i < 4; ++i) {
    all[i] = make(i + 1, i * 10);
    values[i] = all[i].values;
  }
#pragma omp target enter data map(to : all[1 : 2])
#pragma omp target map(from : seen) map(all[1 : 2])
  {
    seen = all[1].values[1] + all[2].values[2];
    all[2].values[0] = 5;
  }
  CHECK("a section", seen, 11 + 22);
#pragma omp target update from(all[2 : 1])
  CHECK("updated", values[2][0], 5);
#pragma omp target exit data map(from : all[1 : 2])
  CHECK("then no section", is_mapped(&all[1]), !offloads);
  CHECK("and no values", is_mapped(values[2]), !offloads);
  // What is deleted is gone however often it was mapped.
#pragma omp target enter data map(to : all[0 : 2])
#pragma omp target enter data map(to : all[0 : 2])
#pragma omp target exit data map(delete : all[0 : 2])
  CHECK("deleted", is_mapped(&all[1]) || is_mapped(values[1]), !offloads);
}

// From the middle of an array that is aligned for vectors of two: the compiler loads and stores such.
static void alignment(void) {
  _Alignas(64) double pairs[64];
  for (int i = 0; i < 64; ++i)
    pairs[i] = i;
  long misaligned = 0;
#pragma omp target map(tofrom : pairs[1 : 20]) map(tofrom : misaligned)
  {
    misaligned = (long)pairs % 64;
    double first = pairs[2] + pairs[3] * 2;
    pairs[4] = first;
    pairs[5] = first + 1;
  }
  CHECK("a section keeps the alignment of its array", misaligned, 0);
  CHECK("pairs of a section", pairs[5], 9);
}

int main(void) {
  int on_a_device = offloads();
  inner_constructs(on_a_device);
  same_addresses();
  members(on_a_device);
  sections(on_a_device);
  alignment();
  return finish();
}
