// The other file of blocks.c: it changes the size of memory that it did not take, and takes such with an alignment.
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#pragma omp begin declare target
int *grown(int *numbers, int count, int to) {
  numbers = realloc(numbers, to * sizeof *numbers);
  for (int i = count; i < to; i++)
    numbers[i] = i;
  return numbers;
}

char *joined(char *text, const char *more) {
  text = realloc(text, strlen(text) + strlen(more) + 1);
  return strcat(text, more);
}

static int misaligned(const void *memory, uintptr_t to) { return memory == NULL || (uintptr_t)memory % to != 0; }

int aligned_blocks(int three) {
  void *posix = NULL;
  int wrong = posix_memalign(&posix, 64, three) != 0 || misaligned(posix, 64);
  wrong += posix_memalign(&posix, three, three) != EINVAL || posix_memalign(&posix, 4, three) != EINVAL;
  char *page = aligned_alloc(4096, 100), *line = memalign(128, three);
  wrong += misaligned(page, 4096) + misaligned(line, 128);
  wrong += reallocarray(NULL, (size_t)1 << 40, (size_t)1 << 40) != NULL;
  page[99] = line[0] = 7;
  page = realloc(page, 1000);
  wrong += page[99] != 7;
  free(line);
  free(page);
  free(posix);
  return wrong;
}
#pragma omp end declare target
