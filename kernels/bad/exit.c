// Device code cannot end the program as C does.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv) {
  int way = argc > 1 ? atoi(argv[1]) : 0;
#pragma omp target
  {
    if (way == 1)
      exit(3);
    if (way == 2)
      _exit(3);
    if (way == 3)
      _Exit(3);
  }
  printf("all is well\n");
}
