// Sizes of printf that CUDA's vprintf does not know: the passes write others in their place (docs/upstream.md). A character that does
// not fit is cut, as C says.
#include "check.h"
#include <stddef.h>
#include <stdint.h>

int main(void) {
  int value = -7;
  fflush(stdout);
#pragma omp target firstprivate(value)
  {
    printf("%zu %d\n", sizeof(int), 1);
    printf("%hhd %hd %d\n", (signed char)-3, (short)-300, 2);
    printf("%hhx %td %jd %hhi %s %hhu\n", 0x1c8, (ptrdiff_t)value, (intmax_t)1 << 40, value - 256, "text", value);
    printf("%5zu|%-5zd|%*hhd|%f\n", (size_t)42, (ptrdiff_t)-42, 4, (signed char)value, 2.5);
  }
  fflush(stdout);
  return finish();
}
