// for, while and do loops in each other with continue, break and conditions; parallel loops at several depths.
#include "shape.h"

void f(int *a, int n) {
#pragma omp target map(tofrom : a[0 : n])
  {
    int k = 0;
    do {
      for (int j = 0; j < 4; j++) {
        if ((a[j] + k) % 3 == 0)
          continue;
        int left = a[j] & 3;
        while (left-- > 0) {
          a[n - 1] += left;
          if (a[n - 1] > 200)
            break;
#pragma omp parallel for
          for (int i = j; i < n - 1; i++)
            a[i] += left + 1;
        }
        if (a[j] > 60)
          break;
        a[n - 2 - j] = 0;
      }
#pragma omp parallel for
      for (int i = 0; i < n; i += 2)
        a[i] ^= k;
    } while (++k < 5 && a[n - 1] < 300);
    a[0] = k;
  }
}

int main(void) {
  int a[N];
  FILL(a);
  f(a, N);
  SHOW(a);
}
