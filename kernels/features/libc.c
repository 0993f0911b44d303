// C library functions that clang leaves as calls in device code: memory and strings, called directly and through
// pointers; puts.
#include "check.h"
#include <string.h>

#pragma omp begin declare target
typedef void *copier(void *, const void *, size_t);
// Through a variable, so that the compiler cannot see which function it is.
copier *copiers[2];
void *(*filler)(void *, int, size_t);
#pragma omp end declare target

enum { CASES = 24 };

int main(int argc, char **argv) {
  (void)argv;
  long got[CASES] = {0};
  int n = argc * 6; // 6, not known to the compiler
#pragma omp target map(tofrom : got) firstprivate(n)
  {
    char text[32] = "device", other[32];
    long *result = got;
    copiers[0] = memcpy, copiers[1] = memmove, filler = memset;
    memcpy(other, text, n + 1);
    *result++ = strcmp(other, text);
    *result++ = memcmp(other, "devices", n);
    other[n - 1] = 'f';
    *result++ = memcmp(other, text, n) > 0;
    *result++ = strlen(text);
    memmove(other + 1, other, n);
    *result++ = other[0] == 'd' && other[1] == 'd' && other[n] == 'f';
    memset(other, 'x', n);
    *result++ = other[0] == 'x' && other[n - 1] == 'x' && other[n] == 'f';
    *result++ = strcat(strcpy(other, text), " side") == other && strcmp(other, "device side") == 0;
    *result++ = strncat(other, "??", 1)[11] == '?';
    *result++ = strncpy(other, "ab", n)[5] == 0;
    *result++ = strncmp("abc", other, 2);
    *result++ = strchr(text, 'v') - text;
    *result++ = strrchr(text, 'e') - text;
    *result++ = (char *)memchr(text, 'i', n) - text;
    *result++ = strchr(text, 'z') == 0;
    for (int i = 0; i < 2; ++i) {
      filler(other, 'y', sizeof other);
      *result++ = copiers[i](other, text, n) == other && other[5] == 'e' && other[6] == 'y';
    }
    *result++ = filler(other, 0, 3) == other && other[2] == 0 && other[3] == 'i';
  }
  long want[CASES] = {0, 0, 1, 6, 1, 1, 1, 1, 1, 0, 2, 5, 3, 1, 1, 1, 1};
  for (int i = 0; i < 17; ++i) {
    char name[32];
    snprintf(name, sizeof name, "case %d", i);
    CHECK(name, got[i], want[i]);
  }

  fflush(stdout);
#pragma omp target
  puts("a line");
  fflush(stdout);
  return finish();
}
