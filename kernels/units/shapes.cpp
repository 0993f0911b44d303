#include "shapes.h"
#include <cstdio>

#pragma omp begin declare target
Unit metre(1);
double Square::area() const { return side * side; }
double total(const Shape *const *shapes, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += shapes[i]->area();
  return grow(sum);
}
#pragma omp end declare target

int main() {
  double sum = 0, scale = 0;
  int wrong = 0;
#pragma omp target map(tofrom : sum, scale)
  {
    Square square(3);
    Circle circle(2);
    const Shape *shapes[] = {&square, &circle};
    sum = total(shapes, 2);
    scale = metre.scale + inch.scale;
  }
#pragma omp target teams distribute parallel for map(tofrom : wrong) reduction(+ : wrong)
  for (int i = 0; i < 1000; ++i) {
    Square square(i);
    const Shape *shape = &square;
    wrong += total(&shape, 1) != double(i) * i + 1;
  }
  std::printf("sum %g scale %g wrong %d\n", sum, scale, wrong);
  return sum != 22 || scale != 3.5 || wrong != 0;
}
