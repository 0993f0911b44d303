// Second translation unit of several programs: functions with effects that show how often they are called, none of
// which has a parallel region.
#include <stdio.h>

#pragma omp begin declare target
typedef int (*FP)(int);
static int calls;
static int counted(int x) {
  return x + 100 * ++calls;
}
int ext(int x) {
  return counted(x);
}
int ext2(int x) {
  return counted(x) + 1;
}
// Promised to be fit for all threads at once: it has no effect.
int ext3(int x) {
  return 3 * x + 2;
}
double ext_double(double x) {
  return 2 * x + 1;
}
static int minus(int x) {
  return -counted(x);
}
FP tab[4] = {ext, minus, ext2, ext3};
void opaque(void) {
  printf("opaque %d\n", ++calls);
}
#pragma omp end declare target
