// Calls functions of another file that ask the runtime where they are, from kernels of both modes.
#include <omp.h>
#include <stdio.h>

#pragma omp begin declare target
int where(void);
int inner_sum(int n);
#pragma omp end declare target

int main(void) {
  int serial = 0, wrong = 0, sum = 0;
#pragma omp target map(tofrom : serial, wrong, sum)
  {
    serial = where();
#pragma omp parallel num_threads(8) reduction(+ : wrong)
    wrong += where() != 100 + omp_get_thread_num();
    sum = inner_sum(10);
  }
  printf("serial %d wrong %d sum %d\n", serial, wrong, sum);
#pragma omp target parallel num_threads(8) map(tofrom : wrong) reduction(+ : wrong)
  wrong += where() != 100 + omp_get_thread_num();
  puts(serial == 0 && wrong == 0 && sum == 45 ? "passed" : "FAILED");
  return serial != 0 || wrong != 0 || sum != 45;
}
