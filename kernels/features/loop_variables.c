// Loops that count in variables whose addresses others know: functions, regions, pointers. LLVM's attributor loses
// turns of many of them.
#include "check.h"

#pragma omp begin declare target
__attribute__((noinline)) static void add_two(unsigned *value) { *value += 2; }

__attribute__((noinline)) static int steps(int *left, int by) {
  int count = 0;
  do {
    int half = 0;
    do {
      ++half, ++count;
      *left -= by;
    } while (half < 2 && (*left & 1));
  } while (*left > 0 && count < 50);
  return count;
}

__attribute__((noinline)) static void next(int *value, int *odd) {
  ++*value;
  if (*value & 1)
    ++*odd;
}

typedef struct {
  int *value, *odd;
} pair;
__attribute__((noinline)) static void next_of(pair *of) { next(of->value, of->odd); }
#pragma omp end declare target

// Two loops in each other, of which a condition of the inner one is about the outer one's variable. What they are given
// is on a way that no turn takes.
#define COUNT_TURNS(NAME, ...)                                                                                         \
  static unsigned NAME(int limit) {                                                                                    \
    unsigned turns = 0;                                                                                                \
    _Pragma("omp target map(tofrom : turns) map(to : limit)") {                                                        \
      unsigned outer = 0;                                                                                              \
      do {                                                                                                             \
        ++outer;                                                                                                       \
        unsigned inner = 0;                                                                                            \
        do {                                                                                                           \
          ++inner;                                                                                                     \
          if (inner > 1000) {                                                                                          \
            __VA_ARGS__                                                                                                \
          }                                                                                                            \
          turns += 1;                                                                                                  \
        } while (inner < 2 && (outer & 3));                                                                            \
      } while (outer < 3 && (limit & 3));                                                                              \
    }                                                                                                                  \
    return turns;                                                                                                      \
  }

COUNT_TURNS(by_a_function, add_two(&inner);)
COUNT_TURNS(by_a_region, _Pragma("omp parallel") { _Pragma("omp atomic") turns += outer + inner; })

// The same of each thread, and a `switch` in the place of a condition.
static unsigned by_a_switch(int limit) {
  unsigned turns = 0;
#pragma omp target parallel for reduction(+ : turns) map(to : limit) num_threads(8)
  for (int i = 0; i < 16; ++i) {
    unsigned state = 0, done = 0;
    for (;;) {
      switch (state) {
      case 0: state = limit & 1 ? 1 : 3; break;
      case 1: add_two(&done), state = done < 6 ? 2 : 3; break;
      case 2: turns += 10, state = 1; break;
      default: done = 100; break;
      }
      ++turns;
      if (done == 100)
        break;
    }
  }
  return turns;
}

static int by_an_argument(int limit) {
  int turns = 0;
#pragma omp target map(tofrom : turns) map(to : limit)
  {
    int left = limit * 5;
    turns = 100 * steps(&left, 1) + left;
  }
  return turns;
}

// A function steps on what the loop reads in front of it: called with the addresses, or with a structure of them.
static int steps_on(int limit) {
  int turns = 0;
#pragma omp target map(tofrom : turns) map(to : limit)
  {
    int value = 0, odd = 0;
    while (value < limit) {
      next(&value, &odd);
      turns += 10;
    }
    turns += odd;
  }
  return turns;
}

static int each_steps_on(int limit) {
  int turns = 0;
#pragma omp target teams distribute parallel for reduction(+ : turns) map(to : limit)
  for (int i = 0; i < 20; ++i) {
    int value = 0, odd = 0;
    pair both = {&value, &odd};
    while (value < limit && odd < 9)
      next_of(&both), turns += 10;
    turns += odd;
  }
  return turns;
}

// Behind each region that may be the last, a function is called.
static int until_a_region_ends_it(int limit) {
  int turns = 0;
#pragma omp target map(tofrom : turns) map(to : limit)
  {
    int done = 0, count = 0;
    while (!done) {
#pragma omp parallel num_threads(2)
      {
#pragma omp masked
        if (++count >= limit)
          done = 1;
      }
      int value = 0, odd = 0;
      while (value < 2 && !done)
        next(&value, &odd), turns += 1;
    }
    turns += 100 * count;
  }
  return turns;
}

int main(void) {
  CHECK("counted by a function", by_a_function(3), 6u);
  CHECK("the outer one once", by_a_function(4), 2u);
  CHECK("counted for a region", by_a_region(3), 6u);
  CHECK("a state", by_a_switch(1), 16 * 27u);
  CHECK("another first state", by_a_switch(2), 16 * 2u);
  CHECK("counted by an argument", by_an_argument(3), 1500);
  CHECK("stepped on", steps_on(5), 53);
  CHECK("by each iteration", each_steps_on(5), 20 * 53);
  CHECK("ended by a region", until_a_region_ends_it(3), 304);
  return finish();
}
