// Dependences between tasks. Tasks that are held up hang on a detachable one, whose event is fulfilled late.
#include "check.h"

enum { LENGTH = 12 };

// Where events and dependences meet, libomp hangs in one of these checks and has an order of its own in another. So only
// a device runs them, and they are silent when all is well.
#define EXPECT(what, got, want)                                                                                        \
  if ((got) != (want))                                                                                                 \
  CHECK(what, got, want)

// A log of the order in which tasks ran: decimal digits.
#define NOTE(digit) log = log * 10 + (digit)

static void held_up(void) {
  long log = 0;
  int a = 0, b = 0;
  // out before in, two readers in any order, then out
#pragma omp target map(tofrom : log, a, b)
  {
    omp_event_handle_t event;
#pragma omp task detach(event) depend(out : a) shared(log)
    NOTE(1);
#pragma omp task depend(in : a) shared(log)
    NOTE(4);
#pragma omp task depend(in : a) shared(log)
    NOTE(4);
#pragma omp task depend(inout : a) depend(out : b) shared(log)
    NOTE(5);
#pragma omp task depend(in : b) shared(log)
    NOTE(6);
#pragma omp task shared(log)
    NOTE(2);
    NOTE(3);
    omp_fulfill_event(event);
#pragma omp taskwait
    NOTE(7);
  }
  EXPECT("out, in, in, inout", log, 12344567L);

  // Not siblings: a grandchild does not wait for the child's sibling
  log = 0;
#pragma omp target map(tofrom : log, a)
  {
    omp_event_handle_t event;
#pragma omp task detach(event) depend(out : a) shared(log)
    NOTE(1);
#pragma omp task shared(log, a)
    {
#pragma omp task depend(in : a) shared(log)
      NOTE(2);
#pragma omp taskwait
      NOTE(3);
    }
    omp_fulfill_event(event);
#pragma omp task depend(in : a) shared(log)
    NOTE(4);
#pragma omp taskwait
  }
  EXPECT("not siblings", log, 1234L);

  // inoutset: a set runs together; behind `in` it waits
  log = 0;
#pragma omp target map(tofrom : log, a)
  {
    omp_event_handle_t event, other;
#pragma omp task detach(event) depend(inoutset : a) shared(log)
    NOTE(1);
#pragma omp task depend(inoutset : a) shared(log)
    NOTE(2);
#pragma omp task detach(other) depend(in : a) shared(log)
    NOTE(4);
#pragma omp task depend(inoutset : a) shared(log)
    NOTE(6);
    NOTE(3);
    omp_fulfill_event(event);
#pragma omp taskyield
    NOTE(5);
    omp_fulfill_event(other);
#pragma omp taskwait
  }
  EXPECT("inoutset", log, 123456L);

  // mutexinoutset: one at a time, in any order: the second may pass the first, which waits for something else
  log = 0;
#pragma omp target map(tofrom : log, a, b)
  {
    omp_event_handle_t event, held;
#pragma omp task detach(event) depend(out : b) shared(log)
    NOTE(1);
#pragma omp task depend(mutexinoutset : a) depend(in : b) shared(log)
    NOTE(5);
#pragma omp task detach(held) depend(mutexinoutset : a) shared(log)
    NOTE(2);
#pragma omp task depend(mutexinoutset : a) shared(log)
    NOTE(5);
#pragma omp task depend(in : a) shared(log)
    NOTE(6);
    omp_fulfill_event(event);
#pragma omp taskyield
    NOTE(3);
#pragma omp taskyield
    NOTE(4);
    omp_fulfill_event(held);
#pragma omp taskwait
  }
  EXPECT("mutexinoutset", log, 1234556L);

  // omp_all_memory, taskwait with dependences, nowait
  log = 0;
#pragma omp target map(tofrom : log, a, b)
  {
    omp_event_handle_t event, other;
#pragma omp task detach(event) depend(in : a) shared(log)
    NOTE(1);
#pragma omp taskwait depend(in : log)
    NOTE(2);
#pragma omp task depend(out : omp_all_memory) shared(log)
    NOTE(4);
#pragma omp task depend(in : b) shared(log)
    NOTE(5);
#pragma omp task shared(log)
    NOTE(3);
    omp_fulfill_event(event);
#pragma omp taskwait depend(inout : b)
    NOTE(6);
#pragma omp task detach(other) depend(out : a) shared(log)
    NOTE(7);
#pragma omp taskwait depend(in : a) depend(out : b) nowait
#pragma omp task depend(in : b) shared(log)
    NOTE(9);
    NOTE(8);
    omp_fulfill_event(other);
  }
  EXPECT("all memory, taskwait depend", log, 0L + 123456789);

  // A child of a final task is done at once; undeferred tasks wait for others
  log = 0;
#pragma omp target map(tofrom : log, a)
  {
#pragma omp task final(1) shared(log, a)
    {
#pragma omp task depend(out : a) shared(log)
      NOTE(1);
#pragma omp task depend(in : a) shared(log)
      NOTE(2);
      NOTE(3);
    }
    omp_event_handle_t event;
#pragma omp task detach(event) depend(out : a) shared(log)
    NOTE(4);
#pragma omp task depend(inout : a) shared(log)
    NOTE(5);
    omp_fulfill_event(event);
#pragma omp task if (0) depend(in : a) shared(log)
    NOTE(6);
    NOTE(7);
  }
  EXPECT("final and undeferred", log, 1234567L);

  // Every thread of a team has its own siblings, and no dependence joins tasks of two threads
  int threads = 0, wrong = 0;
#pragma omp target map(tofrom : threads, wrong, a)
#pragma omp parallel num_threads(48) shared(a)
  {
    omp_event_handle_t event;
    int step = 0, ok = 1;
#pragma omp atomic
    threads += 1;
#pragma omp task detach(event) depend(out : a) shared(step)
    step = 1;
#pragma omp task depend(inout : a) shared(step, ok)
    {
      ok &= step == 2;
      step = 3;
    }
#pragma omp task depend(in : a) untied shared(step, ok)
    {
      ok &= step == 3;
#pragma omp taskyield
      step = 4;
    }
    ok &= step == 1;
    step = 2;
    omp_fulfill_event(event);
#pragma omp barrier
    ok &= step == 4;
    if (!ok)
#pragma omp atomic
      wrong += 1;
  }
  EXPECT("by every thread: wrong", wrong + (threads == 0), 0);
}

int main(void) {
  // Nothing is held up: the order of the program is one that the dependences allow.
  int chain = 0, x = 1, y = 1;
#pragma omp target map(tofrom : chain, x, y)
  {
    for (int i = 0; i < LENGTH; ++i) {
#pragma omp task depend(out : x) shared(x)
      x += 1;
#pragma omp task depend(in : x) depend(out : y) shared(x, y)
      y = x * 2;
#pragma omp task depend(in : y) depend(inout : chain) shared(chain, y)
      chain += y;
    }
#pragma omp taskwait depend(in : chain)
    chain += 1000;
#pragma omp task if (0) depend(inout : chain) shared(chain)
    chain += 1000;
#pragma omp taskwait
  }
  CHECK("chain", chain, 2000 + 2 * (LENGTH * (LENGTH + 3) / 2));
  if (offloads())
    held_up();
  return finish();
}
