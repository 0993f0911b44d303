// The serial part makes an object whose class depends on the input and calls its virtual function; so do the threads.
#include "shape.h"

#pragma omp begin declare target
struct Base {
  int by;
  explicit Base(int by) : by(by) {}
  virtual int of(int x) { return x + by; }
};
struct Other : Base {
  explicit Other(int by) : Base(by) {}
  int of(int x) override { return x * by++; }
};
#pragma omp end declare target

void f(int *a, int n, int k) {
#pragma omp target map(tofrom : a[0 : n])
  {
    Base base(k);
    Other other(k + 1);
    Base *chosen = k & 1 ? &other : &base;
    a[0] = chosen->of(a[0]);
#pragma omp parallel for
    for (int i = 1; i < n; i++)
      a[i] += base.of(i);
    a[1] = chosen->of(a[1]);
    a[2] = other.by;
  }
}

int main() {
  for (int k = 0; k < 2; k++) {
    int a[N];
    FILL(a);
    f(a, N, k);
    SHOW(a);
  }
}
