// Functions of the program with the names of CUDA's in C++, where clang's header makes them errors; and what std:: has of such names stays.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>

#pragma omp declare target
int max(int a, int b) { return a * 1000 + b; }
template <typename T> T norm(T x) { return x + 1; }
float rsqrtf(float x) { return -x; }
double powi(double x, int n) { return x - n; }
static inline int min(int a, int b) { return a * 1000 - b; }
#pragma omp end declare target

int main() {
  int largest = 0, least = 0;
  double root = 0, length = 0, power = 0, whole = 0;
#pragma omp target map(from : largest, least, root, length, power, whole)
  {
    largest = max(3, 4) + std::max(3, 4);
    least = min(3, 4) + std::min(3, 4);
    root = rsqrtf(4.0f);
    length = norm(2.0) + std::norm(std::complex<double>(3, 4));
    power = powi(3, 2) + std::pow(2.0, 3);
    whole = std::pow(2.0f, 4) + std::sqrt(9.0f);
  }
  std::printf("%d %d %g %g %g %g\n", largest, least, root, length, power, whole);
  return !(largest == 3008 && least == 2999 && root == -4 && length == 28 && power == 9 && whole == 19);
}
