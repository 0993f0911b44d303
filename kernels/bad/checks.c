// One mistake for each checker of the SIMT device, and the same without it: the argument chooses.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 128 };
static int in[N], out[N];

static void sum(int right) {
  int sum = 0;
  if (right) {
#pragma omp target teams distribute parallel for reduction(+ : sum) map(to : in)
    for (int i = 0; i < N; i++)
      sum += in[i];
  } else {
#pragma omp target teams distribute parallel for num_teams(1) map(tofrom : sum) map(to : in)
    for (int i = 0; i < N; i++)
      sum += in[i] + 1; // race: no atomic
  }
}

static void loops(int right) {
#pragma omp target parallel num_threads(N) map(tofrom : in, out) firstprivate(right)
  {
#pragma omp for nowait schedule(static, 1)
    for (int i = 0; i < N; i++)
      in[i] = i + 1;
    if (right) {
#pragma omp barrier
    }
#pragma omp for schedule(static, 1)
    for (int i = 0; i < N; i++)
      out[i] = in[N - 1 - i]; // race: no barrier
  }
}

static void serial(int right) {
  int result = 0;
#pragma omp target map(tofrom : result) firstprivate(right)
  {
    int counter = 0;
#pragma omp parallel num_threads(64)
    if (right) {
#pragma omp atomic
      counter++;
    } else {
      counter += 1; // race: a variable of serial code
    }
    result = counter;
  }
  if (right)
    printf("%d\n", result);
}

static void flag(int right) {
  int data = 0, flag = 0;
#pragma omp target parallel num_threads(64) map(tofrom : data, flag) firstprivate(right)
  {
    if (omp_get_thread_num() == 0) {
      data = 42;
      if (right) {
#pragma omp atomic write release
        flag = 1;
      } else {
#pragma omp atomic write
        flag = 1;
      }
    } else if (omp_get_thread_num() == 40) {
      int seen = 0;
      while (!seen) {
        if (right) {
#pragma omp atomic read acquire
          seen = flag;
        } else {
#pragma omp atomic read
          seen = flag;
        }
      }
      out[0] = data; // race: no flush
    }
  }
}

static void teams(int right) {
#pragma omp target teams num_teams(4) thread_limit(32) map(tofrom : out) firstprivate(right)
  out[right ? omp_get_team_num() : 0] = omp_get_team_num() + 1; // race: teams
}

static void heap(int right) {
  int *p = malloc(N * sizeof *p);
  memset(p, 0, N * sizeof *p);
  if (right) {
#pragma omp target teams distribute parallel for map(to : p[0 : N]) map(from : out)
    for (int i = 0; i < N; i++)
      out[i] = p[i] * 2;
  } else {
#pragma omp target teams distribute parallel for map(alloc : p[0 : N]) map(from : out)
    for (int i = 0; i < N; i++)
      out[i] = p[i] * 2; // uninit: nobody has copied it
  }
  free(p);
}

static void private(int right) {
#pragma omp target teams distribute parallel for map(tofrom : out) firstprivate(right)
  for (int i = 0; i < N; i++) {
    int digits[8];
    for (int k = right ? 0 : 1; k < 8; k++)
      digits[k] = i >> k;
    out[i] += digits[i % 8] * 3; // uninit: no digit 0
  }
}

static void memory(int right) {
  long address = 0;
#pragma omp target map(tofrom : out, address) firstprivate(right)
  {
    int *p = malloc(40); // leak
    address = (long)p;
    if (p) {
      p[out[0] & 7] = 5;
      out[1] = p[out[0] & 7];
      if (right)
        free(p);
    }
  }
}

int main(int argc, char **argv) {
  const struct {
    const char *name;
    void (*run)(int);
  } all[] = {{"sum", sum},   {"loops", loops},     {"flag", flag},    {"teams", teams},
             {"heap", heap}, {"private", private}, {"memory", memory}, {"serial", serial}};
  int right = argc > 2 && !strcmp(argv[2], "right");
  for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
    if (argc > 1 && !strcmp(argv[1], all[i].name)) {
      all[i].run(right);
      puts("done");
      return 0;
    }
  return 1;
}
