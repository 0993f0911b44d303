// Mathematical functions of integers: libstdc++ makes builtins of them that neither clang's headers nor LLVM's back end know on a GPU.
#include <cmath>
#include <cstdio>

struct Results {
  double of[40];
  int count = 0;
  void add(double value) { of[count++] = value; }
};

#pragma omp declare target
static void all(Results &to, int one, long five) {
  to.add(std::lrint(five)), to.add(std::llrint(one)), to.add(std::lround(five)), to.add(std::llround(one));
  to.add(std::cbrt(five)), to.add(std::erf(one)), to.add(std::erfc(one)), to.add(std::tgamma(five)), to.add(std::lgamma(five));
  to.add(std::log1p(one)), to.add(std::logb(five)), to.add(std::ilogb(five)), to.add(std::scalbn(one, 3));
  to.add(std::scalbln(five, 3L)), to.add(std::expm1(one)), to.add(std::asinh(one)), to.add(std::acosh(five)), to.add(std::atanh(0));
  to.add(std::tan(one)), to.add(std::asin(one)), to.add(std::acos(one)), to.add(std::atan(five)), to.add(std::atan2(one, five));
  to.add(std::sinh(one)), to.add(std::cosh(five)), to.add(std::tanh(one)), to.add(std::exp2(five)), to.add(std::log2(five));
  to.add(std::log10(five)), to.add(std::hypot(one, five)), to.add(std::pow(five, one)), to.add(std::fmod(five, 3));
  to.add(std::remainder(five, 3)), to.add(std::nextafter(one, five)), to.add(std::rint(five)), to.add(std::sqrt(five));
}
#pragma omp end declare target

int main() {
  volatile int one = 1;
  volatile long five = 5;
  Results here, there;
  int a = one, wrong = 0;
  long b = five;
  all(here, a, b);
#pragma omp target map(tofrom : there)
  all(there, a, b);
  for (int k = 0; k < here.count; k++) {
    if (!(std::fabs(here.of[k] - there.of[k]) <= 1e-14 * std::fabs(here.of[k]))) {
      std::printf("result %d: %.17g on the host, %.17g on the device\n", k, here.of[k], there.of[k]);
      wrong++;
    }
  }
  std::printf("%d results, %d wrong\n", there.count, wrong);
  return wrong != 0;
}
