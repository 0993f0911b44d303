// Memory of malloc that functions of another file make larger, and all that gives memory in a program with realloc.
#define _GNU_SOURCE
#include <malloc.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma omp begin declare target
int *grown(int *numbers, int count, int to);
char *joined(char *text, const char *more);
int aligned_blocks(int three);

// How much is wrong: of memory that this file takes and the other one makes larger, and of memory that this one gives back.
static int all(int three) {
  int wrong = 0, count = three;
  int *numbers = malloc(count * sizeof *numbers);
  for (int i = 0; i < count; i++)
    numbers[i] = i;
  while (count < 500) {
    numbers = grown(numbers, count, 2 * count + 1);
    count = 2 * count + 1;
  }
  for (int i = 0; i < count; i++)
    wrong += numbers[i] != i;
  free(numbers);
  char *text = strdup("a text"), *printed = NULL;
  asprintf(&printed, "%s of %d", text, three);
  text = joined(joined(text, ", "), printed);
  wrong += strcmp(text, three == 3 ? "a text, a text of 3" : "a text, a text of 4") != 0;
  free(printed);
  free(text);
  int *zeros = calloc(three, sizeof *zeros);
  zeros = reallocarray(zeros, 100, sizeof *zeros);
  wrong += zeros[three - 1] != 0 || malloc_usable_size(zeros) < 400;
  free(zeros);
  // The runtime's own memory is malloc's too.
  double *of_omp = omp_alloc(three * sizeof *of_omp, omp_default_mem_alloc);
  of_omp[three - 1] = 1;
  of_omp = omp_realloc(of_omp, 1000 * sizeof *of_omp, omp_default_mem_alloc, omp_default_mem_alloc);
  wrong += of_omp[three - 1] != 1;
  omp_free(of_omp, omp_default_mem_alloc);
  free(NULL);
  return wrong + aligned_blocks(three);
}

// Memory comes back: more than a device's heap has, a little at a time.
static int comes_back(void) {
  char *memory = NULL;
  for (int i = 1; i < 100; i++) {
    memory = realloc(memory, (i % 2 ? 1 : 16) << 14);
    if (!memory)
      return 0;
    memory[i] = 1;
    if (i % 3 == 0) {
      free(memory);
      memory = NULL;
    }
  }
  free(memory);
  return 1;
}
#pragma omp end declare target

int main(void) {
  volatile int given = 3;
  int three = given, serial = 1, many = 0, back = 0;
#pragma omp target map(tofrom : serial, back)
  {
    serial = all(three);
    back = comes_back();
  }
#pragma omp target teams distribute parallel for num_teams(2) thread_limit(32) reduction(+ : many)
  for (int i = 0; i < 64; i++)
    many += all(three + i % 2);
  printf("%d %d wrong, %d\n", serial, many, back);
  return serial + many != 0 || !back;
}
