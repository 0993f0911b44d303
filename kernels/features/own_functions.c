// Functions of the program of which a compiler may know less than it seems: they have names that a library has as
// well, or a promise that no parallel region is in them, which says nothing about what else they do.
#include "check.h"

#pragma omp begin declare target
// The trapezoidal rule.
static double trap(double from, double to, int count) {
  double sum = 0, width = (to - from) / count;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < count; ++i) {
    double x = from + i * width;
    sum += (x * x + (x + width) * (x + width)) / 2 * width;
  }
  return sum;
}

// "find first step".
static void ffs(int *steps, int count) {
#pragma omp parallel for
  for (int i = 0; i < count; ++i)
    steps[i] += i;
}

#pragma omp begin assumes no_parallelism
__attribute__((noinline)) static void want(const int *threads, int k) { omp_set_num_threads(threads[k]); }

__attribute__((noinline)) static void add(int *values, int count) {
#pragma omp for
  for (int i = 0; i < count; ++i)
    values[i] += i;
}

__attribute__((noinline)) static int where(void) { return omp_get_level() * 10 + omp_in_parallel(); }

typedef struct Node {
  struct Node *next;
  long value;
} Node;

static Node *doubled(Node *node) {
  node->value *= 2;
  if (node->next)
    node->next = doubled(node->next);
  return node;
}

__attribute__((noinline)) static int deepest(int *outer, int depth) {
  int own = depth + (outer ? *outer : 0);
  return depth ? deepest(&own, depth - 1) + own : own;
}
#pragma omp end assumes
#pragma omp end declare target

static void names(void) {
  double first = 0, second = 0;
  int steps[200] = {0};
#pragma omp target map(from : first, second) map(tofrom : steps)
  {
    first = trap(0, 1, 64);
    second = trap(1, 2, 64);
    ffs(steps, 200);
    ffs(steps, 200);
  }
  CHECK_THAT("trap", first > 0.333 && first < 0.334 && second > 2.333 && second < 2.334);
  CHECK("ffs", steps[199], 398);
}

static void promises(void) {
  int threads[4] = {50, 7, 20, 64}, most[4] = {0}, values[4] = {0}, sums[4] = {0}, wrong = 0;
#pragma omp target map(tofrom : threads, most, values, sums)
  for (int k = 0; k < 4; ++k) {
    want(threads, k);
#pragma omp parallel
#pragma omp single
    most[k] = omp_get_max_threads();
    add(values, 4);
#pragma omp parallel for
    for (int i = 0; i < 64; ++i)
#pragma omp atomic
      sums[k] += values[k];
  }
  for (int k = 0; k < 4; ++k)
    wrong += most[k] != threads[k] || values[k] != 4 * k || sums[k] != 64 * k * (k + 1);
  CHECK("state and loops in serial code", wrong, 0);

  int set = 0;
#pragma omp target map(tofrom : set, threads)
  {
#pragma omp parallel num_threads(2)
#pragma omp critical
    want(threads, 1);
#pragma omp parallel num_threads(2)
#pragma omp single
    set = omp_get_max_threads() != threads[1];
  }
  CHECK("state that a region sets is its own", set, 1);

  int places[100];
#pragma omp target teams distribute parallel for map(from : places) num_teams(4) thread_limit(64)
  for (int i = 0; i < 100; ++i)
    places[i] = where();
  int same = 1;
  for (int i = 0; i < 100; ++i)
    same &= places[i] == places[0];
  CHECK_THAT("questions in a loop of teams", same && (places[0] == 11 || !offloads()));
}

static void recursion(void) {
  long values = 0;
  int length = 0, sum = 0, last = 0;
#pragma omp target map(tofrom : values, length, sum, last)
  {
    Node nodes[3];
    for (int i = 0; i < 3; ++i)
      nodes[i] = (Node){i < 2 ? &nodes[i + 1] : 0, i + 1};
    for (Node *node = doubled(nodes); node && length < 10; node = node->next, ++length)
      values = 100 * values + node->value;
    sum = deepest(0, 4);
#pragma omp parallel for
    for (int i = 0; i < 8; ++i)
#pragma omp atomic
      last += i + sum;
  }
  CHECK("lists", values, 20406);
  CHECK("their length", length, 3);
  CHECK("variables of each call", sum, 4 + 7 + 9 + 10 + 10);
  CHECK("a region behind it", last, 28 + 8 * sum);
}

int main(void) {
  names();
  promises();
  recursion();
  return finish();
}
