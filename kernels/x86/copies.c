// Data between two devices, through memory of each.
#include <omp.h>
#include <stdio.h>

enum { N = 1000 };

int main(void) {
  int first = 0, second = omp_get_num_devices() - 1, host = omp_get_initial_device(), wrong = 0;
  int values[N], back[N];
  for (int i = 0; i < N; i++)
    values[i] = i;
  int *a = omp_target_alloc(sizeof values, first), *b = omp_target_alloc(sizeof values, second);
  omp_target_memcpy(a, values, sizeof values, 0, 0, first, host);
#pragma omp target teams distribute parallel for device(first) is_device_ptr(a)
  for (int i = 0; i < N; i++)
    a[i] *= 2;
  omp_target_memcpy(b, a, sizeof values, 0, 0, second, first);
#pragma omp target teams distribute parallel for device(second) is_device_ptr(b)
  for (int i = 0; i < N; i++)
    b[i] += 1;
  omp_target_memcpy(back, b, sizeof back, 0, 0, host, second);
  for (int i = 0; i < N; i++)
    wrong += back[i] != 2 * i + 1;
  omp_target_free(a, first);
  omp_target_free(b, second);
  printf("%d devices, wrong: %d\n", omp_get_num_devices(), wrong);
  return wrong;
}
