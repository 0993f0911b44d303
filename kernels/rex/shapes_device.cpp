/* Kernels of shapes.c. Work is dealt out over what is there, so the results are the same on every device; and one line
   says what is there. */
#include "xomp.h"

extern "C" {

char OUT__1__1__main__21__kernel___exec_mode = 0;
char OUT__2__1__main__28__kernel___exec_mode = 0;
char OUT__3__1__main__34__kernel___exec_mode = 0;
char OUT__4__1__main__41__kernel___exec_mode = 0;

REX_GLOBAL void OUT__1__1__main__21__kernel__(void *__launch_environment, int *a, int *n) {
  rex_print("grid %d block %d environment %d\n", REX_BLOCKS, REX_THREADS, __launch_environment != 0, 0);
  for (int i = 0; i < *n / 2; i++) {
    int other = a[i];
    a[i] = a[*n - 1 - i];
    a[*n - 1 - i] = other;
  }
}

REX_GLOBAL void OUT__2__1__main__28__kernel__(void *__launch_environment, int *a) {
  if (REX_BLOCK == 0)
    rex_print("grid %d block %d environment %d\n", REX_BLOCKS, REX_THREADS, __launch_environment != 0, 0);
  for (int i = REX_BLOCK; i < 8; i += REX_BLOCKS)
    a[i] = 10 * i;
}

REX_GLOBAL void OUT__3__1__main__34__kernel__(void *__launch_environment, int *a) {
  if (REX_THREAD == 0)
    rex_print("grid %d block %d environment %d\n", REX_BLOCKS, REX_THREADS, __launch_environment != 0, 0);
  for (int i = REX_THREAD; i < 6; i += REX_THREADS)
    a[i]++;
}

REX_GLOBAL void OUT__4__1__main__41__kernel__(void *__launch_environment, int *sums) {
  if (REX_THREAD == 0)
    rex_print("grid %d block %d environment %d\n", REX_BLOCKS, REX_THREADS, __launch_environment != 0, 0);
  for (int part = REX_THREAD; part < 4; part += REX_THREADS) {
    sums[part] = 0;
    for (int i = 0; i <= 10; i++)
      sums[part] += i * part;
  }
}
}
