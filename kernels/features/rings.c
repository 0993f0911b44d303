// Variables of the device whose initial values name each other: PTX has no initial value that names what stands behind it.
#include "check.h"

#pragma omp begin declare target
typedef struct node {
  struct node *next;
  long value;
} node;
extern node second, third;
node first = {&second, 1}, second = {&third, 2}, third = {&first, 3};
static node itself = {&itself, 7};

// Parts of a variable that name other parts of it, and addresses behind those of variables.
static struct {
  long count;
  node *parts[3];
  node own[2];
  long *values[2];
} all = {3, {&first, &second, &third}, {{&all.own[1], 5}, {&all.own[0], 6}}, {&all.own[0].value, &itself.value}};

// Constants, of which one names a function.
typedef struct state {
  long (*run)(long);
  const struct state *next;
} state;
static long twice(long n) { return 2 * n; }
static long more(long n) { return n + 1; }
extern const state grow;
const state step = {more, &grow}, grow = {twice, &step};
#pragma omp end declare target

int main(void) {
  long turns = 0, own = 0, parts = 0, states = 1, threads = 0;
#pragma omp target map(tofrom : turns, own, parts, states)
  {
    const node *at = &first;
    for (int i = 0; i < 7; i++, at = at->next)
      turns = 10 * turns + at->value;
    own = itself.next->next->value;
    itself.value = 8;
    parts = 1000 * all.count + 100 * all.parts[2]->value + 10 * all.own[0].next->next->next->value + *all.values[1];
    const state *now = &step;
    for (int i = 0; i < 6; i++, now = now->next)
      states = now->run(states);
  }
  CHECK("around three", turns, 1231231L);
  CHECK("one that names itself", own, 7L);
  CHECK("parts of one", parts, 3368L);
  CHECK("functions of constants", states, 22L);
#pragma omp target teams distribute parallel for reduction(+ : threads) map(tofrom : threads)
  for (int i = 0; i < 100; i++)
    threads += first.next->next->next->value + *all.values[0];
  CHECK("in all threads", threads, 600L);
  return finish();
}
