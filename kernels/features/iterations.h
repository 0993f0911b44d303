// Which iterations of a loop have run: a count for each.
#ifndef ITERATIONS_H
#define ITERATIONS_H

enum { N = 1000 };

static int hits[N];

static void clear(void) {
  for (int i = 0; i < N; ++i)
    hits[i] = 0;
}

// Whether each of the first `n` has run once, and no other.
static int once(int n) {
  for (int i = 0; i < N; ++i)
    if (hits[i] != (i < n))
      return 0;
  return 1;
}
#endif
