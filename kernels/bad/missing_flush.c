// Orders that are missing, and the same programs with them: the arguments choose. Without the weak memory mode of the SIMT
// device all of them are right under every schedule.
#include <omp.h>
#include <stdio.h>
#include <string.h>

// Atomic updates are flushed by hand: clang 22 drops their memory order for NVPTX (docs/upstream.md).
#pragma omp begin declare target
static void flush(void) {
#pragma omp flush
}
#pragma omp end declare target

enum { ITEMS = 32, ROUNDS = 16, TEAMS = 8 };

// One thread makes data and counts it, another one waits for each item.
static int passed(int right) {
  int data[ITEMS] = {0}, made = 0, sum = 0;
#pragma omp target parallel num_threads(64) map(tofrom : data, made, sum) firstprivate(right)
  {
    if (omp_get_thread_num() == 0) {
      for (int i = 0; i < ITEMS; i++) {
        data[i] = i + 1;
        if (right) {
#pragma omp atomic write release
          made = i + 1;
        } else {
#pragma omp atomic write
          made = i + 1;
        }
      }
    } else if (omp_get_thread_num() == 40) {
      for (int i = 0; i < ITEMS; i++) {
        int there = 0;
        while (there <= i) {
#pragma omp atomic read acquire
          there = made;
        }
        sum += data[i];
      }
    }
  }
  return sum == ITEMS * (ITEMS + 1) / 2;
}

// Threads of several warps count under a lock of their own making.
static int counted(int right) {
  int lock = 0, count = 0;
#pragma omp target parallel num_threads(128) map(tofrom : lock, count) firstprivate(right)
  if (omp_get_thread_num() % 32 == 0)
    for (int i = 0; i < ROUNDS; i++) {
      int taken = 1;
      while (taken) {
#pragma omp atomic capture
        {
          taken = lock;
          lock = 1;
        }
      }
      flush();
      count++;
      if (right)
        flush();
#pragma omp atomic write
      lock = 0;
    }
  return count == 4 * ROUNDS;
}

// Each team stores its part, and the last one that comes adds all of them.
static int added(int right) {
  int part[TEAMS] = {0}, done = 0, sum = 0;
#pragma omp target teams num_teams(TEAMS) thread_limit(32) map(tofrom : part, done, sum) firstprivate(right)
  {
    int before;
    part[omp_get_team_num()] = omp_get_team_num() + 1;
    if (right)
      flush();
#pragma omp atomic capture
    before = done++;
    if (before == TEAMS - 1) {
      flush();
      int all = 0;
      for (int i = 0; i < TEAMS; i++)
        all += part[i];
      sum = all;
    }
  }
  return sum == TEAMS * (TEAMS + 1) / 2;
}

int main(int argc, char **argv) {
  const struct {
    const char *name;
    int (*run)(int);
  } all[] = {{"flag", passed}, {"lock", counted}, {"last", added}};
  int right = argc > 2 && !strcmp(argv[2], "right");
  for (int i = 0; i < 3; i++)
    if (argc > 1 && !strcmp(argv[1], all[i].name)) {
      int done = all[i].run(right);
      puts(done ? "right" : "wrong");
      return !done;
    }
  return 2;
}
