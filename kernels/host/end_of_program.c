// Target regions at the end of a program, when its code for the device is gone: of a thread that goes on while another one
// calls `exit`, and of an exit handler that was registered before. They run on the host.
#include "../features/check.h"
#include <stdlib.h>
#include <unistd.h>

static int regions;

__attribute__((destructor)) static void behind_the_program(void) {
  int value = 0;
#pragma omp target map(tofrom : value)
  value += 5;
#pragma omp target enter data map(to : value)
#pragma omp target exit data map(from : value)
  printf(value == 5 ? "behind the program\n" : "FAILED behind the program\n");
  fflush(stdout);
}

int main(void) {
  int value = 0;
#pragma omp target map(tofrom : value)
  value += 1;
  CHECK("a region of the program", value, 1);
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
      int seen = 0;
      while (seen < 20) {
#pragma omp atomic read
        seen = regions;
        usleep(100);
      }
      exit(finish());
    }
    for (;;) {
      int own = 0;
#pragma omp target map(tofrom : own)
      own += 1;
      if (own != 1)
        abort();
#pragma omp atomic
      regions += 1;
    }
  }
}
