// printf in kernels: every conversion, from one thread. The order of lines from several threads is not defined, so
// those are counted.
#include "check.h"

int main(void) {
  int value = -7;
  const char *device_text = "text";
  (void)device_text;
  fflush(stdout);
#pragma omp target firstprivate(value)
  {
    printf("nothing to convert\n");
    printf("%d %i %u %x %X %o %c%%\n", value, 12345, 4000000000u, 0xbeefu, 0xBEEFu, 8u, 'y');
    printf("%ld %lld %lu\n", -9000000000000000000l, 1ll << 62, ~0ul);
    printf("%f %.3f %e %g %10.2f|%-10.2f|\n", 1.5, 2.0 / 3.0, 12345.678, 1e-10, 3.14159, 2.71828);
    printf("%5d|%-5d|%05d|%+d\n", 42, 42, 42, 42);
    printf("%s and %.3s and %8s|\n", "a string", "abcdef", "right");
    printf("%hd %d\n", (short)-300, (int)(1.0f * 2));
  }
  fflush(stdout);

  int lines = 0;
#pragma omp target parallel num_threads(64) reduction(+ : lines)
  lines += omp_get_thread_num() == 0 ? printf("one of the threads\n") != 0 : 1;
  CHECK_THAT("threads that came through", lines >= 1);
  return finish();
}
