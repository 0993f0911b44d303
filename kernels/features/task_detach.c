// Detachable tasks: whoever waits for them waits for their events; taskgroups and their cancellation.
#include "check.h"

enum { THREADS = 40 };

int main(void) {
  // Fulfilled in the task, before it runs, by its child, by a deferred sibling
  int done[5] = {0}, order = 0;
#pragma omp target map(tofrom : done, order)
  {
    omp_event_handle_t inside, before, child, sibling;
#pragma omp task detach(inside) shared(done)
    {
      done[0] += 1;
      omp_fulfill_event(inside);
    }
#pragma omp taskwait
#pragma omp task detach(before) if (0) shared(done)
    {
      omp_fulfill_event(before);
      done[1] += 1;
    }
#pragma omp task detach(child) shared(done, order) depend(out : order)
    {
      done[2] += 1;
#pragma omp task firstprivate(child)
      omp_fulfill_event(child);
    }
#pragma omp task detach(sibling) shared(done)
    done[3] += 1;
#pragma omp task depend(in : order) shared(done, order) firstprivate(sibling)
    {
      order += done[2];
      omp_fulfill_event(sibling);
    }
#pragma omp taskwait
    done[4] = done[0] + done[1] + done[2] + done[3] + order;
  }
  CHECK("events of tasks in the serial part", done[4], 5);

  // taskwait is for children, taskgroup for all that descends
  int waited = 0, grouped = 0, early = 0;
#pragma omp target map(tofrom : waited, grouped, early)
  {
    omp_event_handle_t event;
    int flag = 0;
#pragma omp task detach(event) depend(out : flag)
    {
    }
#pragma omp task shared(flag, waited, early)
    {
      omp_event_handle_t own;
#pragma omp task detach(own) depend(out : waited)
      {
      }
#pragma omp task depend(in : waited) shared(waited)
      waited = 1;
      early += waited;
      omp_fulfill_event(own);
#pragma omp taskwait
      early += waited != 1;
    }
#pragma omp task depend(in : flag) shared(waited)
    waited += 10;
    early += waited != 1;
    omp_fulfill_event(event);
#pragma omp taskwait
    waited += 100;

    omp_event_handle_t deep;
#pragma omp taskgroup
    {
#pragma omp task shared(grouped, deep)
      {
#pragma omp task detach(deep) depend(out : grouped)
        {
        }
#pragma omp task depend(inout : grouped) shared(grouped)
        grouped = 5;
      }
      early += grouped;
      omp_fulfill_event(deep);
    }
    grouped *= 3;
  }
  CHECK("taskwait", waited, 111);
  CHECK("taskgroup", grouped, 15);
  CHECK("run too early or late", early, 0);

  // The event of one thread fulfilled by another; the barrier and the end of the region wait
  int shares[THREADS] = {0}, behind[THREADS] = {0}, ends = 0, team = 0, wrong = 0;
#pragma omp target map(tofrom : shares, behind, ends, team, wrong)
  {
    unsigned long events[THREADS] = {0};
#pragma omp parallel num_threads(THREADS) shared(events)
    {
      int me = omp_get_thread_num(), threads = omp_get_num_threads();
      omp_event_handle_t event;
#pragma omp atomic write
      team = threads;
#pragma omp task detach(event) depend(out : shares[me]) shared(shares) firstprivate(me)
#pragma omp atomic
      shares[me] += 1;
#pragma omp task depend(in : shares[me]) shared(behind, shares) firstprivate(me)
      behind[me] = shares[me] * 2;
#pragma omp atomic write seq_cst
      events[me] = (unsigned long)event;
      if (me == 0)
        for (int i = 0; i < threads; ++i) {
          unsigned long handle = 0;
          while (!handle)
#pragma omp atomic read seq_cst
            handle = events[i];
          omp_fulfill_event((omp_event_handle_t)handle);
        }
#pragma omp barrier
      if (behind[(me + 1) % threads] != 2)
#pragma omp atomic
        wrong += 1;
    }
#pragma omp parallel num_threads(THREADS)
    {
      omp_event_handle_t event;
      int key = 0;
#pragma omp task detach(event) depend(out : key)
      {
      }
#pragma omp task depend(in : key) shared(ends)
#pragma omp atomic
      ends += 1;
      omp_fulfill_event(event);
    }
    if (ends != team)
      wrong += 1000;
  }
  CHECK("events of other threads, barrier, end of region", wrong, 0);

  // The end of a region of one thread inside another one, and of the kernel
  int inner = 0, kernel = 0, bad = 0;
#pragma omp target map(tofrom : inner, kernel, bad)
  {
    omp_event_handle_t outer;
#pragma omp task detach(outer) depend(out : kernel)
    {
    }
#pragma omp task depend(in : kernel) shared(kernel)
    kernel += 1;
#pragma omp parallel num_threads(33)
    {
      omp_event_handle_t middle;
      int key = 0, mine = 0;
#pragma omp task detach(middle) depend(out : key)
      {
      }
#pragma omp task depend(in : key) shared(mine)
      mine = 1;
#pragma omp parallel if (0) shared(key, mine, inner, bad)
      {
        omp_event_handle_t event;
        int own = 0;
#pragma omp task detach(event) depend(out : key)
        {
        }
#pragma omp task depend(in : key) shared(own)
        own = 1;
        omp_fulfill_event(event);
#pragma omp taskwait
        if (own != 1 || mine != 0)
#pragma omp atomic
          bad += 1;
#pragma omp atomic
        inner += own;
      }
      if (mine != 0)
#pragma omp atomic
        bad += 1;
      omp_fulfill_event(middle);
#pragma omp taskwait
      if (mine != 1)
#pragma omp atomic
        bad += 1;
    }
    if (kernel != 0)
      bad += 1;
    omp_fulfill_event(outer);
  }
  CHECK("end of the kernel", kernel, 1);
  CHECK_THAT("regions in regions", inner > 0);
  CHECK("regions in regions: wrong", bad, 0);

  // Many unfinished tasks at once
  int many = 0;
#pragma omp target map(tofrom : many)
  {
    omp_event_handle_t events[50], event;
    for (int i = 0; i < 50; ++i) {
#pragma omp task detach(event) depend(out : events[i]) shared(many)
      many += 1;
      events[i] = event;
#pragma omp task depend(in : events[i]) shared(many)
      many += 100;
    }
    for (int i = 49; i >= 0; --i)
      omp_fulfill_event(events[i]);
#pragma omp taskwait
  }
  CHECK("many", many, 5050);
  return finish();
}
