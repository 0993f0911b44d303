// Reductions of many variables at once, over teams of many sizes: all that goes from warp to warp. One reduction behind the
// other, with a barrier of the program between and without, in a loop, and in a function that regions call.
#include "check.h"

enum { N = 1500, ROUNDS = 3, LARGE = 40 };

typedef struct {
  double real, imaginary;
} Pair;
typedef struct {
  float x, y, z;
} Point;

#pragma omp begin declare target
static void add_pair(Pair *into, const Pair *from) { into->real += from->real, into->imaginary += from->imaginary; }
static void add_point(Point *into, const Point *from) { into->x += from->x, into->y += from->y, into->z += from->z; }
// A reduction in a function: of two variables behind pointers, once with a barrier behind it and once without.
static void add_all(int n, long *count, double *sum) {
#pragma omp for reduction(+ : count[ : 1])
  for (int i = 0; i < n; ++i)
    count[0] += i;
#pragma omp for nowait reduction(+ : sum[ : 1])
  for (int i = 0; i < n; ++i)
    sum[0] += 0.25 * i;
}
#pragma omp end declare target
#pragma omp declare reduction(pairs : Pair : add_pair(&omp_out, &omp_in)) initializer(omp_priv = (Pair){0, 0})
#pragma omp declare reduction(points : Point : add_point(&omp_out, &omp_in)) initializer(omp_priv = (Point){0, 0, 0})

// All kinds of variables.
static void kinds(int threads, int n) {
  unsigned char c = 1;
  short s = 2;
  int i = 3;
  float f = 4;
  double d = 5;
  long l = 6;
  Pair pair = {7, 8};
  Point point = {9, 10, 11};
  int array[3] = {12, 13, 14};
#pragma omp target parallel for num_threads(threads) map(tofrom : c, s, i, f, d, l, pair, point, array)               \
    reduction(+ : c, s, i, f, d, l, array) reduction(pairs : pair) reduction(points : point)
  for (int k = 0; k < n; ++k) {
    Pair one = {k, 2 * k};
    Point other = {1, 2, k % 5};
    c += k, s += k % 7, i += k, f += k % 3, d += 0.5 * k, l += k;
    add_pair(&pair, &one);
    add_point(&point, &other);
    array[k % 3] += k;
  }
  int sum = n * (n - 1) / 2, sevenths = 0, thirds = 0, fifths = 0, parts[3] = {12, 13, 14};
  for (int k = 0; k < n; ++k)
    sevenths += k % 7, thirds += k % 3, fifths += k % 5, parts[k % 3] += k;
  printf("%d threads, %d iterations\n", threads, n);
  CHECK("unsigned char", c, (unsigned char)(1 + sum));
  CHECK("short", s, 2 + sevenths);
  CHECK("int", i, 3 + sum);
  CHECK("float", f, 4 + thirds);
  CHECK("double", d, 5 + 0.5 * sum);
  CHECK("long", l, 6 + sum);
  CHECK("pair", pair.real, 7 + sum);
  CHECK("pair: second", pair.imaginary, 8 + 2 * sum);
  CHECK("point", point.x, 9 + n);
  CHECK("point: last", point.z, 11 + fifths);
  for (int k = 0; k < 3; ++k)
    CHECK("array", array[k], parts[k]);
}

// One reduction behind the other, of the same size and of others.
static void rounds(int threads, int n) {
  double first = 0, second = 0, third = 0;
  long count = 0;
#pragma omp target map(tofrom : first, second, third, count)
#pragma omp parallel num_threads(threads)
  {
    for (int round = 0; round < ROUNDS; ++round) {
#pragma omp for nowait reduction(+ : first)
      for (int i = 0; i < n; ++i)
        first += i + round;
#pragma omp for nowait reduction(+ : second)
      for (int i = 0; i < n; ++i)
        second += 2 * i;
    }
#pragma omp barrier
    for (int round = 0; round < ROUNDS; ++round) {
#pragma omp for reduction(+ : third)
      for (int i = 0; i < n; ++i)
        third += 1;
#pragma omp single
      count += third == (round + 1) * n;
    }
  }
  double sum = n * (n - 1) / 2;
  CHECK("rounds: first", first, ROUNDS * sum + n * ROUNDS * (ROUNDS - 1) / 2);
  CHECK("rounds: second", second, 2 * ROUNDS * sum);
  CHECK("rounds: third", third, ROUNDS * n);
  CHECK("rounds: seen by all", count, ROUNDS);
}

int main(void) {
  static const int sizes[] = {1, 20, 32, 33, 64, 100, 256, 1000, 1024};
  for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
    kinds(sizes[i], N);
    rounds(sizes[i], N / 10);
  }
  kinds(1024, 40);

  long count = 0;
  double sum = 0;
#pragma omp target parallel num_threads(256) map(tofrom : count, sum)
  for (int round = 0; round < ROUNDS; ++round)
    add_all(100, &count, &sum);
  CHECK("function: count", count, ROUNDS * 4950);
  CHECK("function: sum", sum, ROUNDS * 0.25 * 4950);

  double many[LARGE] = {0};
#pragma omp target parallel for map(tofrom : many) reduction(+ : many)
  for (int i = 0; i < N; ++i)
    many[i % LARGE] += 1;
  int right = 0;
  for (int i = 0; i < LARGE; ++i)
    right += many[i] == N / LARGE + (i < N % LARGE);
  CHECK("large array", right, LARGE);
  return finish();
}
