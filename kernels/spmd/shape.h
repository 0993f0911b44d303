// What the programs of this folder share: inputs on which their shapes show, and results printed so that any two
// runs, on the host and on the device, with any number of threads, can be compared letter by letter.
#ifndef SHAPE_H
#define SHAPE_H
#include <stdio.h>

enum { N = 40 };

// The input that most shapes start from.
#define FILL(a)                                                                                                        \
  do {                                                                                                                 \
    for (int fill_i = 0; fill_i < (int)(sizeof(a) / sizeof *(a)); ++fill_i)                                            \
      (a)[fill_i] = (fill_i * 7 + 3) % 23;                                                                             \
  } while (0)

// The elements from `from` up to `to`, in a line.
#define SHOW_RANGE(a, from, to)                                                                                        \
  do {                                                                                                                 \
    printf("%s:", #a);                                                                                                 \
    for (int show_i = (from); show_i < (to); ++show_i)                                                                 \
      printf(" %.10g", (double)(a)[show_i]);                                                                           \
    printf("\n");                                                                                                      \
  } while (0)
#define SHOW(a) SHOW_RANGE(a, 0, (int)(sizeof(a) / sizeof *(a)))

// How many elements from `from` up to `to` are not `want`.
#define OTHERS(a, from, to, want)                                                                                      \
  ({                                                                                                                   \
    int others_n = 0;                                                                                                  \
    for (int others_i = (from); others_i < (to); ++others_i)                                                           \
      others_n += (a)[others_i] != (want);                                                                             \
    others_n;                                                                                                          \
  })
#endif
