// taskloop: how it is cut, what is private, what comes back.
#include "check.h"

enum { N = 103 };

int main(void) {
  int hits[N] = {0}, wrong = 0, last = 0, tasks = 0, sizes[N] = {0};

#pragma omp target map(tofrom : hits, last)
#pragma omp taskloop shared(hits) lastprivate(last)
  for (int i = 0; i < N; ++i) {
    hits[i] += 1;
    last = i * 2;
  }
  for (int i = 0; i < N; ++i)
    wrong += hits[i] != 1;
  CHECK("plain: iterations not run once", wrong, 0);
  CHECK("plain: lastprivate", last, 2 * (N - 1));

  // A task is known by the private copy of what was 0 before the loop: the first iteration of each sees it.
#define COUNT(what, clauses, wanted_tasks, check_sizes)                                                                \
  {                                                                                                                    \
    int first = 0, number = 0, bad = 0;                                                                                \
    for (int i = 0; i < N; ++i)                                                                                        \
      sizes[i] = hits[i] = 0;                                                                                          \
    tasks = 0;                                                                                                         \
    last = -1;                                                                                                         \
    _Pragma("omp target map(tofrom : hits, tasks, sizes, last, number) map(to : first)")                               \
    _Pragma(clauses) for (int i = 0; i < N; ++i) {                                                                     \
      if (!first) {                                                                                                    \
        first = 1;                                                                                                     \
        number = tasks++;                                                                                              \
      }                                                                                                                \
      hits[i] += 1;                                                                                                    \
      sizes[tasks - 1] += 1;                                                                                           \
      last = i;                                                                                                        \
    }                                                                                                                  \
    for (int i = 0; i < N; ++i)                                                                                        \
      bad += hits[i] != 1;                                                                                             \
    for (int t = 0; t < tasks; ++t)                                                                                    \
      bad += !(check_sizes);                                                                                           \
    CHECK(what ": tasks", tasks, wanted_tasks);                                                                        \
    CHECK(what ": wrong", bad, 0);                                                                                     \
    CHECK(what ": lastprivate", last, N - 1);                                                                          \
  }
  COUNT("grainsize(10)", "omp taskloop firstprivate(first) shared(hits, tasks, sizes) lastprivate(last) grainsize(10)", 10,
        sizes[t] >= 10 && sizes[t] < 20)
  COUNT("grainsize(strict: 10)",
        "omp taskloop firstprivate(first) shared(hits, tasks, sizes) lastprivate(last) grainsize(strict: 10)", 11,
        sizes[t] == 10 || sizes[t] == 3)
  COUNT("grainsize(200)", "omp taskloop firstprivate(first) shared(hits, tasks, sizes) lastprivate(last) grainsize(200)", 1,
        sizes[t] == N)
  COUNT("num_tasks(7)", "omp taskloop firstprivate(first) shared(hits, tasks, sizes) lastprivate(last) num_tasks(7)", 7,
        sizes[t] == 14 || sizes[t] == 15)
  COUNT("num_tasks(strict: 500)",
        "omp taskloop firstprivate(first) shared(hits, tasks, sizes) lastprivate(last) num_tasks(strict: 500)", N,
        sizes[t] == 1)
  COUNT("nogroup", "omp taskloop nogroup firstprivate(first) shared(hits, tasks, sizes) lastprivate(last) num_tasks(4)", 4,
        sizes[t] == 25 || sizes[t] == 26)

  // Other steps and types, no iterations, two loops in one.
  long down = 0, wide = 0, none = 0, pairs = 0, empty = 0;
#pragma omp target map(tofrom : down, wide, none, pairs) map(to : empty)
  {
#pragma omp taskloop grainsize(3) shared(down)
    for (int i = 50; i > -7; i -= 4)
      down += i;
#pragma omp taskloop num_tasks(5) shared(wide)
    for (unsigned long i = 1ul << 40; i < (1ul << 40) + 30; i += 3)
      wide += i - (1ul << 40);
#pragma omp taskloop shared(none) grainsize(2)
    for (long i = 0; i < empty; ++i)
      none += 1;
#pragma omp taskloop collapse(2) num_tasks(3) shared(pairs)
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 7; ++j)
        pairs += 10 * i + j;
  }
  long want_down = 0;
  for (int i = 50; i > -7; i -= 4)
    want_down += i;
  CHECK("downwards", down, want_down);
  CHECK("wide variable", wide, 135L);
  CHECK("no iteration", none, 0L);
  CHECK("collapse(2)", pairs, 10L * 15 * 7 + 21L * 6);

  // By every thread, and by one of a team; if(0), final, untied.
  int all = 0, threads = 0, one = 0, forms = 0;
#pragma omp target map(tofrom : all, threads, one, forms)
  {
#pragma omp parallel num_threads(64)
    {
#pragma omp atomic
      threads += 1;
#pragma omp taskloop grainsize(4) shared(all)
      for (int i = 0; i < 21; ++i)
#pragma omp atomic
        all += 1;
#pragma omp single
#pragma omp taskloop num_tasks(9) shared(one)
      for (int i = 0; i < N; ++i)
#pragma omp atomic
        one += i;
    }
#pragma omp taskloop if (0) grainsize(7) shared(forms)
    for (int i = 0; i < N; ++i)
      forms += 1;
#pragma omp taskloop final(1) num_tasks(7) shared(forms)
    for (int i = 0; i < N; ++i)
      forms += omp_in_final();
#pragma omp taskloop untied num_tasks(7) shared(forms)
    for (int i = 0; i < N; ++i)
      forms += 1;
#pragma omp taskloop simd grainsize(16) shared(forms)
    for (int i = 0; i < N; ++i)
#pragma omp atomic
      forms += 1;
  }
  CHECK("taskloop by all threads", all, 21 * threads);
  CHECK("taskloop in single", one, N * (N - 1) / 2);
  CHECK("if, final, untied, simd", forms, 4 * N);
  return finish();
}
