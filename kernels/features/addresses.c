// Functions that get several addresses in one variable, once inlined and once not. LLVM's attributor takes what they read for what is at the first
// of them.
#include "check.h"

#define CALLED __attribute__((noinline))

#pragma omp begin declare target
typedef struct {
  int w;
  double y;
  long z;
} part;
typedef struct {
  part a, b;
} whole;

static long weigh(const part *v) { return v->w + 10 * (long)v->y + 100 * v->z; }
static CALLED long weigh_there(const part *v) { return v->w + 10 * (long)v->y + 100 * v->z; }
static void swap(int *a, int *b) {
  const int c = *a;
  *a = *b;
  *b = c;
}
static CALLED void swap_there(int *a, int *b) { swap(a, b); }

// Through other functions, each of which gets one address only.
static CALLED int last(const int *p) { return *p; }
static CALLED int from(const int *p) { return last(p); }
static CALLED int behind(const int *p) { return last(p + 1); }

// Place after place.
static CALLED int sum(const int *p, int n) { return n ? *p + sum(p + 1, n - 1) : 0; }

static int table[3] = {4, 5, 6};
#pragma omp end declare target

int main(void) {
  long weights[4] = {0}, chosen = 0;
  int found[6] = {0};
#pragma omp target map(tofrom : weights, found)
  {
    whole e = {{1, 2, 3}, {4, 5, 6}};
    weights[0] = weigh(&e.a), weights[1] = weigh(&e.b);
    weights[2] = weigh_there(&e.a), weights[3] = weigh_there(&e.b);
    int a[4] = {1, 2, 3, 4};
    swap(&a[0], &a[1]), swap_there(&a[2], &a[3]), swap_there(&a[1], &a[2]);
    found[0] = 1000 * a[0] + 100 * a[1] + 10 * a[2] + a[3];
    found[1] = 10 * from(a) + behind(a);
    found[2] = sum(a, 4);
    table[0] = 7, table[1] = 8;
    found[3] = 10 * from(table) + behind(table);
    found[4] = 10 * last(&a[3]) + last(&a[0]);
    found[5] = last(found[0] > 0 ? &a[1] : &a[2]);
  }
  CHECK("a structure's first part", weights[0], 321L);
  CHECK("its second", weights[1], 654L);
  CHECK("the first, called", weights[2], 321L);
  CHECK("the second, called", weights[3], 654L);
  CHECK("exchanged", found[0], 2413);
  CHECK("through two functions", found[1], 24);
  CHECK("by itself", found[2], 10);
  CHECK("in a variable of all", found[3], 78);
  CHECK("the last and the first", found[4], 32);
  CHECK("one of two", found[5], 4);
#pragma omp target teams distribute parallel for reduction(+ : chosen) map(tofrom : chosen)
  for (int i = 0; i < 100; i++) {
    const part own[2] = {{i, 1, 0}, {2, 3, i}};
    chosen += weigh_there(&own[1]) - weigh_there(&own[0]) + weigh(&own[1]) - weigh(&own[0]);
  }
  CHECK("each thread's own", chosen, 2 * (100 * 22L + 99 * 4950));
  return finish();
}
