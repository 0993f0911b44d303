// Asks for the tables of mappings.
#include <stdio.h>

void ompx_dump_mapping_tables(void);

int main(void) {
  int a[4] = {0}, b[8] = {0};
  printf("nothing is mapped\n");
  ompx_dump_mapping_tables();
#pragma omp target data map(to : a)
#pragma omp target data map(to : a, b)
  ompx_dump_mapping_tables();
  printf("end\n");
  return 0;
}
