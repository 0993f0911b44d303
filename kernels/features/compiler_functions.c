// What compilers call functions of their own for on a device: quotients and products of complex numbers without `complex.h`, and
// conversions between floating-point numbers and integers of 128 bits. And a fence that orders nothing between threads.
#include "check.h"
#include <stdatomic.h>

typedef __int128 wide;
typedef unsigned __int128 unsigned_wide;

static void complex_numbers(double zero) {
  float _Complex few = 6 + 2i, by_few = 2 - 2i, few_product = 0, few_quotient = 0;
  double _Complex many = 6 + 2i, by_many = 2 - 2i, product = 0, quotient = 0, large = 0, infinite = 0;
#pragma omp target map(tofrom : few_product, few_quotient, product, quotient, large, infinite)
  {
    few_product = few * by_few;
    few_quotient = few / by_few;
    product = many * by_many;
    quotient = many / by_many;
    large = (many * 1e300) / (by_many * 1e300);
    infinite = many / zero;
  }
  CHECK("product of float, real", __real__ few_product, 16);
  CHECK("product of float, imaginary", __imag__ few_product, -8);
  CHECK("quotient of float, real", __real__ few_quotient, 1);
  CHECK("quotient of float, imaginary", __imag__ few_quotient, 2);
  CHECK("product, real", __real__ product, 16);
  CHECK("product, imaginary", __imag__ product, -8);
  CHECK("quotient, real", __real__ quotient, 1);
  CHECK("quotient, imaginary", __imag__ quotient, 2);
  CHECK("large quotient, real", (int)(__real__ large * 1024 + 0.5), 1024);
  CHECK("large quotient, imaginary", (int)(__imag__ large * 1024 + 0.5), 2048);
  CHECK_THAT("quotient by 0", __real__ infinite > 1e308 && __imag__ infinite > 1e308);
}

static long long upper(wide number) { return (long long)(number >> 64); }

static void wide_integers(double large, float negative, int scale) {
  wide from_double = 0, from_float = 0;
  unsigned_wide unsigned_one = 0;
  double back = 0;
  float back_float = 0, from_unsigned_float = 0;
  _Float16 half = 0;
#pragma omp target map(tofrom : from_double, from_float, unsigned_one, back, back_float, from_unsigned_float, half)
  {
    from_double = (wide)(large * scale);
    from_float = (wide)negative;
    unsigned_one = (unsigned_wide)(large * -scale * -4);
    back = (double)(from_double + 1);
    back_float = (float)from_float;
    from_unsigned_float = (float)unsigned_one;
    half = (_Float16)(wide)scale;
  }
  CHECK("from double, upper", upper(from_double), upper((wide)(large * scale)));
  CHECK("from double, lower", (long long)from_double, (long long)(wide)(large * scale));
  CHECK("from float", (long long)from_float, (long long)negative);
  CHECK("from float, upper", upper(from_float), -1);
  CHECK("unsigned from double", upper(unsigned_one), upper(4 * (wide)(large * scale)));
  CHECK("to double", back, large * scale);
  CHECK("to float", back_float, negative);
  CHECK("unsigned to float", from_unsigned_float, (float)(large * scale * 4));
  CHECK("to _Float16", (int)half, scale);
}

static void signal_fences(void) {
  int value = 0;
#pragma omp target map(tofrom : value)
  {
    value = 1;
    atomic_signal_fence(memory_order_seq_cst);
    value += 1;
  }
  CHECK("behind a signal fence", value, 2);
}

int main(int count, char **words) {
  (void)words;
  complex_numbers(count - 1);
  wide_integers(3e35, -7.5e9f, 2 * count);
  signal_fences();
  return finish();
}
