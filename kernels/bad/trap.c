// A kernel ends itself.
#include <stdio.h>

int main(int argc, char **argv) {
  (void)argv;
#pragma omp target firstprivate(argc)
  if (argc < 1000)
    __builtin_trap();
  puts("still here");
  return 0;
}
