// Host and device share memory (`requires unified_shared_memory`): nothing need be mapped, and what is mapped is used
// where it is.
#pragma omp requires unified_shared_memory
#include "check.h"
#include <stdlib.h>

struct node {
  int value;
  struct node *next;
};

#pragma omp declare target
int counter = 5;
static int table[3] = {1, 2, 3};
#pragma omp end declare target

static int sum_and_increment(struct node *list) {
  int sum = 0;
#pragma omp target map(from : sum)
  {
    sum = 0;
    for (struct node *node = list; node; node = node->next)
      sum += node->value++;
    counter += sum;
    table[1] = counter;
  }
  return sum;
}

int main(void) {
  offloads();
  // a list that nobody maps, with nodes on the heap and on the stack
  struct node last = {100, NULL}, *list = &last;
  for (int i = 1; i <= 10; ++i) {
    struct node *node = malloc(sizeof *node);
    *node = (struct node){i, list};
    list = node;
  }
  CHECK("sum of a list", sum_and_increment(list), 155);
  CHECK("a node on the heap", list->value, 11);
  CHECK("a node on the stack", last.value, 101);
  CHECK("a global", counter, 160);
  CHECK("a static variable", table[1], 160);

  // data constructs find their data where it is
  enum { N = 1000 };
  int a[N];
  for (int i = 0; i < N; ++i)
    a[i] = i;
#pragma omp target data map(to : a)
  {
#pragma omp target teams distribute parallel for
    for (int i = 0; i < N; ++i)
      a[i] *= 2;
    CHECK("written by the device, before the end of its map", a[N - 1], 2 * (N - 1));
    a[0] = 7;
#pragma omp target update from(a)
    CHECK("an update changes nothing", a[0], 7);
  }
  long sum = 0;
  int *p = a;
#pragma omp target teams distribute parallel for reduction(+ : sum)
  for (int i = 0; i < N; ++i)
    sum += p[i];
  CHECK("read through a pointer that is not mapped", sum, (long)N * (N - 1) + 7);

  while (list != &last) {
    struct node *next = list->next;
    free(list);
    list = next;
  }
  return finish();
}
