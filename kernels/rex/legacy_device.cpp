/* Kernel of legacy.c: no hidden parameter, and no word about its mode. */
#include "xomp.h"

extern "C" {

REX_GLOBAL void OUT__1__5__main__7__kernel__(int *a, int *n) {
  for (int i = REX_BLOCK; i < *n; i += REX_BLOCKS)
    a[i] += 100;
}
}
