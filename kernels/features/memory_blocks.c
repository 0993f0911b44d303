// Blocks of memory, copied, moved and filled: of every small length at every alignment, of lengths that the compiler knows and
// does not know, in a thread's memory, a team's and all's, and overlapping both ways. Nothing beside a block changes.
#include <stdio.h>
#include <string.h>

enum { ROOM = 448, PLACES = 9, LENGTHS = 41 };

// Of no, some and all of the words that a copy has at once, and what is left over.
static int length_of(int i) { return i < 34 ? i : (const int[]){63, 64, 65, 127, 128, 136, 331}[i - 34]; }

#pragma omp begin declare target
struct Large {
  double numbers[100];
  int more;
};
struct Odd {
  char name[201];
  short number;
};

static unsigned char byte_at(int i) { return (unsigned char)(i * 37 + 11); }

// How many bytes of a block are not what they are to be: `length` from `first` on are those that `source` has from `from` on (or
// `value` if that is negative), the others as they were.
static int wrong_in(const unsigned char *block, int first, int length, int from, int value) {
  int wrong = 0;
  for (int i = 0; i < ROOM; i++) {
    unsigned char is = byte_at(i);
    if (i >= first && i < first + length)
      is = from < 0 ? (unsigned char)value : byte_at(i - first + from);
    wrong += block[i] != is;
  }
  return wrong;
}

static void begin(unsigned char *block) {
  for (int i = 0; i < ROOM; i++)
    block[i] = byte_at(i);
}
#pragma omp end declare target

// Each copy in the threads' own rows, between two places of different alignments.
static int of_any_length(unsigned char *rows, unsigned char *sources) {
  int wrong = 0;
#pragma omp target teams distribute parallel for collapse(2) reduction(+ : wrong) map(alloc : rows[0 : PLACES * LENGTHS * ROOM],   \
                                                                                       sources[0 : ROOM])
  for (int place = 0; place < PLACES; place++)
    for (int i = 0; i < LENGTHS; i++) {
      unsigned char *row = rows + (place * LENGTHS + i) * ROOM;
      const int length = length_of(i), to = 16 + place, from = 32 + (place & 1 ? 3 * place : place) % 8;
      begin(row);
      memcpy(row + to, sources + from, length);
      wrong += wrong_in(row, to, length, from, 0);
      begin(row);
      memset(row + to, 0xa5 + i, length);
      wrong += wrong_in(row, to, length, -1, 0xa5 + i);
      begin(row);
      memmove(row + to, row + from, length);
      wrong += wrong_in(row, to, length, from, 0);
      begin(row);
      memmove(row + from, row + to, length);
      wrong += wrong_in(row, from, length, to, 0);
    }
  return wrong;
}

// In arrays of the thread, whose alignment the compiler chooses.
static int in_own_arrays(int seed) {
  int wrong = 0;
#pragma omp target teams distribute parallel for reduction(+ : wrong)
  for (int i = 0; i < LENGTHS; i++) {
    unsigned char here[ROOM], there[ROOM];
    begin(here);
    begin(there);
    memcpy(here + seed, there + 2 * seed, length_of(i));
    wrong += wrong_in(here, seed, length_of(i), 2 * seed, 0);
    begin(here);
    memmove(here + 8, here, 400);
    wrong += wrong_in(here, 8, 400, 0, 0);
    double numbers[50];
    for (int j = 0; j < 50; j++)
      numbers[j] = 0;
    numbers[i] = seed;
    for (int j = 0; j < 50; j++)
      wrong += numbers[j] != (j == i ? seed : 0);
  }
  return wrong;
}

// Structures, by assignment, and records of bytes that are aligned only sometimes.
static int structures(struct Large *large, struct Odd *odd, char *records, int count) {
  int wrong = 0;
#pragma omp target teams distribute parallel for reduction(+ : wrong) map(tofrom : large[0 : 2 * count], odd[0 : 2 * count],       \
                                                                               records[0 : 40 * count])
  for (int i = 0; i < count; i++) {
    large[count + i] = large[i];
    odd[count + i] = odd[i];
    memcpy(records + 20 * (count + i), records + 20 * i, 20);
    wrong += large[count + i].numbers[99] != i || large[count + i].more != -i;
    wrong += odd[count + i].name[200] != (char)i || odd[count + i].number != i;
    memset(&large[i], 0, sizeof large[i]);
    wrong += large[i].numbers[0] != 0 || large[i].numbers[99] != 0 || large[i].more != 0;
  }
  for (int i = 0; i < count; i++)
    wrong += large[i].more != 0 || large[count + i].numbers[50] != 50 + i || records[20 * (count + i) + 19] != (char)(19 + i);
  return wrong;
}

// What the team shares, filled by each thread in its part.
static int in_a_team(int words) {
  int wrong = 0;
#pragma omp target teams num_teams(3) thread_limit(64) reduction(+ : wrong)
  {
    int shared[64 * 9], given[9];
    for (int j = 0; j < 9; j++)
      given[j] = j * words;
#pragma omp parallel for
    for (int i = 0; i < 64; i++)
      memcpy(shared + 9 * i, given, words * sizeof(int));
    for (int i = 0; i < 64 * 9; i++)
      wrong += i % 9 < words && shared[i] != i % 9 * words;
  }
  return wrong;
}

int main(void) {
  static unsigned char rows[PLACES * LENGTHS * ROOM], sources[ROOM];
  static struct Large large[10];
  static struct Odd odd[10];
  static char records[200];
  begin(sources);
  for (int i = 0; i < 5; i++) {
    for (int j = 0; j < 100; j++)
      large[i].numbers[j] = j == 99 ? i : j + i;
    large[i].more = -i;
    odd[i].name[200] = (char)i;
    odd[i].number = (short)i;
    for (int j = 0; j < 20; j++)
      records[20 * i + j] = (char)(j + i);
  }
  int any;
#pragma omp target data map(to : rows, sources)
  any = of_any_length(rows, sources);
  volatile int seed = 3, words = 7;
  int own = in_own_arrays(seed), structured = structures(large, odd, records, 5), team = in_a_team(words);
  printf("wrong: %d of any length, %d in own arrays, %d in structures, %d in a team\n", any, own, structured, team);
  return any + own + structured + team != 0;
}
