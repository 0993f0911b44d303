// Reductions over a section of what a pointer of the thread points to, where the address of an element leaves the function:
// clang 22 keeps the pointer and the private copy of the section in the same memory, so that each overwrites the other.
#include "check.h"

enum { TEAMS = 3, THREADS = 96, STEPS = 1000, LONG = 7 };

typedef struct {
  double first, second;
  long count;
} triple;
#pragma omp declare reduction(both : triple : omp_out.first += omp_in.first, omp_out.second += omp_in.second,          \
                                  omp_out.count += omp_in.count) initializer(omp_priv = (triple){0, 0, 0})

#pragma omp begin declare target
// What is not inlined at `-O0`: a function that gets an address of the section.
static void add(int *to, int number) { *to += number; }
static void add_char(signed char *to, int number) { *to += number; }
static void add_triple(triple *to, int number) {
  to->first += number;
  to->second += 2 * number;
  to->count += 1;
}

static int one(int *room, const int *numbers) {
  int *sum = room + 1;
#pragma omp barrier
  sum[0] = 0;
#pragma omp barrier
#pragma omp for reduction(+ : sum[ : 1])
  for (int i = 0; i < STEPS; ++i)
    add(&sum[0], numbers[i]);
  return sum[0];
}

static int of_a_parameter(int *sum, const int *numbers) {
  sum += 1;
#pragma omp barrier
  sum[0] = 0;
#pragma omp barrier
#pragma omp for reduction(+ : sum[0 : 1])
  for (int i = 0; i < STEPS; ++i)
    add(&sum[0], numbers[i]);
  return sum[0];
}

// A private copy larger than a pointer, that does not begin where the pointer points to.
static int some(int *room, const int *numbers) {
  int *sums = room;
#pragma omp barrier
  for (int i = 0; i < LONG + 2; ++i)
    sums[i] = 5;
#pragma omp barrier
#pragma omp for reduction(+ : sums[2 : LONG])
  for (int i = 0; i < STEPS; ++i)
    add(&sums[2 + i % LONG], numbers[i]);
  int sum = 0;
  for (int i = 0; i < LONG + 2; ++i)
    sum += sums[i] - 5;
  return sum;
}

static int chars(signed char *room, const int *numbers) {
  signed char *sum = room;
#pragma omp barrier
  sum[0] = sum[1] = 0;
#pragma omp barrier
#pragma omp for reduction(+ : sum[ : 2])
  for (int i = 0; i < STEPS; ++i)
    add_char(&sum[i % 2], numbers[i]);
  return (unsigned char)(sum[0] + sum[1]);
}

static long triples(triple *room, const int *numbers) {
  triple *sum = room + 1;
#pragma omp barrier
  *sum = (triple){0, 0, 0};
#pragma omp barrier
#pragma omp for reduction(both : sum[ : 1])
  for (int i = 0; i < STEPS; ++i)
    add_triple(&sum[0], numbers[i]);
  return sum->second == 2 * sum->first ? (long)sum->first + sum->count : -1;
}

// Twice over the same pointer, which points elsewhere the second time.
static int twice(int *room, const int *numbers) {
  int *sum = room, result = 0;
  for (int turn = 0; turn < 2; ++turn, ++sum) {
#pragma omp barrier
    sum[0] = 0;
#pragma omp barrier
#pragma omp for reduction(+ : sum[ : 1])
    for (int i = 0; i < STEPS; ++i)
      add(&sum[0], numbers[i]);
    result += (turn + 1) * sum[0];
  }
  return result;
}

// Each thread its own.
static int in_lanes(const int *numbers) {
  int room[4] = {1, 2, 3, 4}, *sum = room + 1;
#pragma omp simd reduction(+ : sum[ : 2])
  for (int i = 0; i < STEPS; ++i)
    add(&sum[i % 2], numbers[i]);
  return room[0] + room[1] + room[2] + room[3];
}
#pragma omp end declare target

static int numbers[STEPS];

// What all threads of all teams get from it is `wanted`: how many do not.
#define WRONG(type, call, wanted)                                                                                      \
  ({                                                                                                                   \
    int wrong = 0;                                                                                                     \
    type rooms[TEAMS][LONG + 2];                                                                                       \
    _Pragma("omp target teams num_teams(TEAMS) thread_limit(THREADS) map(to : numbers) map(alloc : rooms)              \
                map(tofrom : wrong)") {                                                                                \
      for (int team = omp_get_team_num(); team < TEAMS; team += omp_get_num_teams())                                   \
        _Pragma("omp parallel num_threads(THREADS)") {                                                                 \
          type *room = rooms[team];                                                                                    \
          int mistake = (call) != (wanted);                                                                            \
          _Pragma("omp atomic") wrong += mistake;                                                                      \
        }                                                                                                              \
    }                                                                                                                  \
    wrong;                                                                                                             \
  })

int main(void) {
  int sum = 0;
  for (int i = 0; i < STEPS; ++i)
    sum += numbers[i] = i % 17 - 3;
  CHECK("wrong sums of one element", WRONG(int, one(room, numbers), sum), 0);
  CHECK("wrong sums of a parameter's element", WRONG(int, of_a_parameter(room, numbers), sum), 0);
  CHECK("wrong sums of some elements", WRONG(int, some(room, numbers), sum), 0);
  CHECK("wrong sums of characters", WRONG(signed char, chars(room, numbers), (unsigned char)sum), 0);
  CHECK("wrong sums of structures", WRONG(triple, triples(room, numbers), sum + STEPS), 0);
  CHECK("wrong sums of two loops", WRONG(int, twice(room, numbers), 3 * sum), 0);
  CHECK("wrong sums of lanes", WRONG(int, in_lanes(numbers), sum + 10), 0);
  return finish();
}
