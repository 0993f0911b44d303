// One of each construct and routine that moves data or runs a kernel, for tests of what tools are told.
#include <omp.h>
#include <stdio.h>

enum { N = 100 };

#pragma omp declare target
int global[16];
#pragma omp end declare target

int main(void) {
  int a[N];
  double sum = 0;
  for (int i = 0; i < N; i++)
    a[i] = i;
#pragma omp target enter data map(to : a)
#pragma omp target teams distribute parallel for num_teams(2) map(tofrom : a) reduction(+ : sum)
  for (int i = 0; i < N; i++) {
    a[i] += 1;
    sum += a[i];
  }
#pragma omp target update from(a)
  global[3] = 7;
#pragma omp target update to(global)
#pragma omp target exit data map(from : a)
#pragma omp target data map(always, tofrom : a[0 : 50])
  {
#pragma omp target map(present, alloc : a[0 : 50])
    a[1] = global[3];
  }
#pragma omp target nowait map(tofrom : a[48 : 10])
  a[50] += 1;
#pragma omp taskwait
  int device = omp_get_default_device(), host = omp_get_initial_device();
  int *there = omp_target_alloc(sizeof a, device);
  omp_target_memcpy(there, a, sizeof a, 0, 0, device, host);
  omp_target_memcpy(there, there, sizeof(int), 40, 0, device, device);
  omp_target_associate_ptr(a, there, sizeof a, 0, device);
#pragma omp target map(a)
  a[2] = 9;
  omp_target_disassociate_ptr(a, device);
  // refused: not mapped, held by the construct, mapped by it
  omp_target_disassociate_ptr(a, device);
#pragma omp target data map(ompx_hold, tofrom : a)
  omp_target_disassociate_ptr(a, device);
#pragma omp target data map(tofrom : a)
  omp_target_disassociate_ptr(a, device);
  omp_target_memcpy(a, there, sizeof a, 0, 0, host, device);
  omp_target_free(there, device);
  printf("sum %g, a %d %d %d\n", sum, a[1], a[2], a[50]);
  return 0;
}
