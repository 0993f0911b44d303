// Constructors of the global objects of a device that use OpenMP: parallel regions, reductions, critical regions, tasks and
// ICVs, each for a team of one thread. What one leaves behind is not there for the next one.
#include "check.h"

#pragma omp begin declare target
struct Table {
  enum { LENGTH = 100 };
  int squares[LENGTH], sum, in_critical, in_tasks, of_region, threads, level, in_parallel, thread;
  Table()
      : sum(0), in_critical(0), in_tasks(0), threads(omp_get_num_threads()), level(omp_get_level()),
        in_parallel(omp_in_parallel()), thread(omp_get_thread_num()) {
#pragma omp parallel for schedule(dynamic, 3) reduction(+ : sum)
    for (int i = 0; i < LENGTH; ++i)
      sum += squares[i] = i * i;
#pragma omp parallel
    {
#pragma omp critical
      ++in_critical;
#pragma omp single
      of_region = omp_get_num_threads();
#pragma omp single
      for (int i = 0; i < 10; ++i)
#pragma omp task
#pragma omp atomic
        in_tasks += i;
    }
  }
};
Table table;

// A task that nobody waits for is done when the constructor ends.
struct Later {
  int value;
  Later() : value(0) {
#pragma omp task shared(value)
    value = 5;
  }
};
Later later;

// One that does not use OpenMP.
struct Plain {
  int value;
  Plain() : value(41) {}
};
Plain plain;

// What one has on the heap its destructor frees, at the end of the program.
struct Owner {
  int *value;
  Owner() : value(new int(12)) {}
  ~Owner() { delete value; }
};
Owner owner;

// Functions that are constructors: what the first one sets is not the second one's. One of them is called, too.
int most, schedule, calls;
static void see(void) {
  omp_sched_t kind;
  omp_get_schedule(&kind, &schedule);
  most = omp_get_max_threads();
}
__attribute__((constructor(201))) void set(void) {
  omp_set_num_threads(7);
  omp_set_schedule(omp_sched_dynamic, 9);
}
__attribute__((constructor(202))) void count(void) {
  see();
#pragma omp atomic
  calls += omp_get_num_threads();
}
#pragma omp end declare target

int main(void) {
  int squares = 0;
  Table seen;
  int most_threads, chunk, task_value, plain_value, owned, of_constructor, with_region;
#pragma omp target map(from : squares, seen, most_threads, chunk, task_value, plain_value, owned) \
    map(from : of_constructor, with_region)
  {
    seen = table;
    squares = 0;
    for (int i = 0; i < Table::LENGTH; ++i)
      squares += table.squares[i] == i * i;
    most_threads = most;
    chunk = schedule;
    task_value = later.value;
    plain_value = plain.value;
    owned = *owner.value;
    of_constructor = calls;
#pragma omp parallel num_threads(3)
    if (omp_get_thread_num() == 2)
      count();
    with_region = calls;
  }
  CHECK("written by a loop", squares, Table::LENGTH);
  CHECK("its reduction", seen.sum, 328350);
  CHECK("critical regions", seen.in_critical, seen.of_region);
  CHECK("tasks", seen.in_tasks, 45);
  CHECK("threads", seen.threads, 1);
  CHECK("level", seen.level, 0);
  CHECK("in parallel", seen.in_parallel, 0);
  CHECK("thread", seen.thread, 0);
  CHECK("a task at the end", task_value, 5);
  if (offloads()) {
    CHECK("threads of a device's constructor", seen.of_region, 1);
    CHECK("most threads, set by another", most_threads, 1);
    CHECK("chunk, set by another", chunk, 1);
  }
  CHECK("one without OpenMP", plain_value, 41);
  CHECK("one that owns memory", owned, 12);
  CHECK("a function that is a constructor", of_constructor, 1);
  CHECK("and is called", with_region, of_constructor + 3);
  return finish();
}
