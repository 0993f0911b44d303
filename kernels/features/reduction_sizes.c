// Reductions of what is no scalar, and whose size is no multiple of four bytes or whose alignment is less than four: compilers hand it
// on in pieces of 4, 2 and 1 bytes. clang 22 gets the small ones wrong between lanes and between warps (docs/upstream.md).
#include "check.h"

enum { THREADS = 96, TEAMS = 3, STEPS = 1000 };

typedef struct {
  signed char a, b;
} two;
typedef struct {
  unsigned char a, b, c;
} three;
typedef struct {
  short a, b, c;
} six;
typedef struct {
  unsigned char a[7];
} seven;
typedef struct {
  unsigned short a[9];
} eighteen;
#pragma omp declare reduction(sum : two : omp_out.a += omp_in.a, omp_out.b += omp_in.b) initializer(omp_priv = (two){0})
#pragma omp declare reduction(sum : three : omp_out.a += omp_in.a, omp_out.b += omp_in.b, omp_out.c += omp_in.c)       \
    initializer(omp_priv = (three){0})
#pragma omp declare reduction(sum : six : omp_out.a += omp_in.a, omp_out.b += omp_in.b, omp_out.c += omp_in.c)         \
    initializer(omp_priv = (six){0})

#pragma omp begin declare target
static void add_seven(seven *to, const seven *from) {
  for (int i = 0; i < 7; ++i)
    to->a[i] += from->a[i];
}
static void add_eighteen(eighteen *to, const eighteen *from) {
  for (int i = 0; i < 9; ++i)
    to->a[i] += from->a[i];
}
#pragma omp end declare target
#pragma omp declare reduction(sum : seven : add_seven(&omp_out, &omp_in)) initializer(omp_priv = (seven){0})
#pragma omp declare reduction(sum : eighteen : add_eighteen(&omp_out, &omp_in)) initializer(omp_priv = (eighteen){0})

// Everything that is reduced, as it is for one loop.
typedef struct {
  two t;
  three h;
  six x;
  seven v;
  eighteen e;
  signed char chars[5];
  unsigned short shorts[3];
  signed char character;
  _Bool flag;
} all;

#define ADD(i)                                                                                                         \
  t.a += i, t.b -= i, h.a += i, h.b += 2 * i, h.c += 3 * i, x.a += i, x.b += 2, x.c += 3 * i, v.a[i % 7] += i;          \
  v.a[6] += 1, e.a[i % 9] += i, e.a[8] += i, chars[i % 5] += i, shorts[i % 3] += i, character += i;                    \
  flag = flag || i == STEPS / 2

// Reduces in a loop under `directive`, and gives the result.
#define REDUCE(name, directive)                                                                                        \
  static all name(void) {                                                                                              \
    two t = {0};                                                                                                       \
    three h = {0};                                                                                                     \
    six x = {0};                                                                                                       \
    seven v = {0};                                                                                                     \
    eighteen e = {0};                                                                                                  \
    signed char chars[5] = {0}, character = 0;                                                                         \
    unsigned short shorts[3] = {0};                                                                                    \
    _Bool flag = 0;                                                                                                    \
    PRAGMA(omp directive reduction(sum : t, h, x, v, e) reduction(+ : chars, shorts, character) reduction(|| : flag))  \
    for (int i = 0; i < STEPS; ++i) {                                                                                  \
      ADD(i);                                                                                                          \
    }                                                                                                                  \
    all result = {t, h, x, v, e, {0}, {0}, character, flag};                                                           \
    for (int i = 0; i < 5; ++i)                                                                                        \
      result.chars[i] = chars[i];                                                                                      \
    for (int i = 0; i < 3; ++i)                                                                                        \
      result.shorts[i] = shorts[i];                                                                                    \
    return result;                                                                                                     \
  }
REDUCE(one_thread, parallel for num_threads(1))
REDUCE(lanes, target parallel for num_threads(32))
REDUCE(warps, target parallel for num_threads(THREADS))
REDUCE(teams, target teams distribute parallel for num_teams(TEAMS) thread_limit(THREADS))

static int differences(all got) {
  all want = one_thread();
  int count = got.t.a != want.t.a || got.t.b != want.t.b;
  count += got.h.a != want.h.a || got.h.b != want.h.b || got.h.c != want.h.c;
  count += got.x.a != want.x.a || got.x.b != want.x.b || got.x.c != want.x.c;
  for (int i = 0; i < 7; ++i)
    count += got.v.a[i] != want.v.a[i];
  for (int i = 0; i < 9; ++i)
    count += got.e.a[i] != want.e.a[i];
  for (int i = 0; i < 5; ++i)
    count += got.chars[i] != want.chars[i];
  for (int i = 0; i < 3; ++i)
    count += got.shorts[i] != want.shorts[i];
  return count + (got.character != want.character) + (got.flag != want.flag);
}

int main(void) {
  CHECK("wrong values of a warp", differences(lanes()), 0);
  CHECK("wrong values of a team", differences(warps()), 0);
  CHECK("wrong values of a league", differences(teams()), 0);
  return finish();
}
