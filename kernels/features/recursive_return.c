// Functions that call themselves and return a parameter: LLVM 22's openmp-opt takes what an inner call returns for the parameter of
// the outer one (docs/upstream.md).
#include "check.h"

enum { NODES = 3 };

#pragma omp begin declare target
struct node {
  struct node *left;
  long value;
};

// Doubles the values of a list.
static struct node *doubled(struct node *n) {
  n->value *= 2;
  if (n->left)
    n->left = doubled(n->left);
  return n;
}

// By way of another function, with values that no 32-bit register holds as they are.
static unsigned char ping(int depth, unsigned char id, int *sum);
static double pong(int depth, double id, int *sum) {
  *sum += ping(depth - 1, (unsigned char)depth, sum);
  return id;
}
static unsigned char ping(int depth, unsigned char id, int *sum) {
  if (depth > 0)
    *sum += 100 * (int)pong(depth - 1, depth, sum);
  return id;
}

static long level(int depth, long id, long *sum) {
  if (depth > 0) {
    long below = level(depth - 1, depth, sum);
    *sum = 10 * *sum + below;
  }
  return id;
}
#pragma omp end declare target

int main(void) {
  long values = 0, levels = 0, top = 0;
  int sum = 0, length = 0, threads = 0;
#pragma omp target map(tofrom : values, levels, top, sum, length, threads)
  {
    struct node nodes[NODES];
    for (int i = 0; i < NODES; ++i) {
      nodes[i].left = i + 1 < NODES ? &nodes[i + 1] : 0;
      nodes[i].value = i + 1;
    }
    for (struct node *n = doubled(nodes); n && length < 10; n = n->left, ++length)
      values = 100 * values + n->value;
    top = level(3, 7, &levels);
    ping(4, 9, &sum);
#pragma omp parallel num_threads(40)
    {
      long mine = 0;
      long id = level(4, omp_get_thread_num(), &mine);
      if (id == omp_get_thread_num() && mine == 1234) {
#pragma omp atomic
        ++threads;
      }
    }
  }
  CHECK("nodes", length, NODES);
  CHECK("values", values, 20406);
  CHECK("levels", levels, 123);
  CHECK("top", top, 7);
  CHECK("in turn", sum, 604);
  CHECK("threads", threads > 0 && threads == (threads > 1 ? 40 : 1), 1);
  return finish();
}
