/* Kernel of threads.c: an image without any device environment. */
#include "xomp.h"

extern "C" {

char OUT__1__3__work__8__kernel___exec_mode = 0;

REX_GLOBAL void OUT__1__3__work__8__kernel__(void *__launch_environment, int *a, int *b, int *c, int *d, int *e) {
  *b += 10;
  *c += 20;
  *d += 30;
  *e += 40;
}
}
