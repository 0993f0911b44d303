// malloc and free in the serial part, in a loop; the parallel loops use the memory, and serial code links it to a
// list.
#include "shape.h"
#include <stdlib.h>

struct node {
  struct node *next;
  int value[N];
};

void f(int *a, int n) {
#pragma omp target map(tofrom : a[0 : n])
  {
    struct node *list = 0;
    for (int k = 0; k < 4; k++) {
      struct node *node = malloc(sizeof *node);
      node->next = list;
      list = node;
#pragma omp parallel for
      for (int i = 0; i < n; i++)
        node->value[i] = a[i] + k;
    }
    while (list) {
      struct node *next = list->next;
#pragma omp parallel for
      for (int i = 0; i < n; i++)
        a[i] += list->value[n - 1 - i];
      free(list);
      list = next;
    }
  }
}

int main(void) {
  int a[N];
  FILL(a);
  f(a, N);
  SHOW(a);
}
