// Parallel loops in a template and in lambdas that capture by reference, called from the serial part.
#include "shape.h"

#pragma omp begin declare target
template <class F> static void each(int n, const F &what) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    what(i);
}
template <class T> struct Sum {
  T total = 0;
  void add(const T *of, int n) {
    T sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < n; i++)
      sum += of[i];
    total += sum;
  }
};
#pragma omp end declare target

void f(int *a, int n) {
#pragma omp target map(tofrom : a[0 : n])
  {
    int by = a[0];
    // A variable: clang keeps a temporary object where other threads do not reach it.
    auto add = [&](int i) { a[i] += by; };
    each(n, add);
    by = a[1];
    Sum<int> sum;
    sum.add(a, n);
    sum.add(a, n / 2);
    auto multiply = [&](int i) { a[i] = a[n - 1 - i] * by; };
    each(n / 2, multiply);
    a[n - 1] = sum.total;
  }
}

int main() {
  int a[N];
  FILL(a);
  f(a, N);
  SHOW(a);
}
