// The inputs of the reductions and what is right, for OpenMP and CUDA.
#ifndef REDUCTIONS_H
#define REDUCTIONS_H

#include "options.h"

typedef struct {
  double re, im;
} Complex;

// The largest value, and the first place where it is.
typedef struct {
  double value;
  long index;
} Place;

// What a reduction does with one more element. Statements and not functions: LLVM 22 takes a structure that an inlined function
// has by value for one on the stack, wherever it is (docs/upstream.md).
#define ADD(RESULT, NEXT) (RESULT) += (NEXT)
#define ADD_COMPLEX(RESULT, NEXT) ((RESULT).re += (NEXT).re, (RESULT).im += (NEXT).im)
#define TAKE_LESS(RESULT, NEXT) (RESULT) = (NEXT) < (RESULT) ? (NEXT) : (RESULT)
#define TAKE_MORE(RESULT, NEXT) (RESULT) = (NEXT) > (RESULT) ? (NEXT) : (RESULT)
#define TAKE_BITS(RESULT, NEXT) (RESULT) &= (NEXT)
#define TAKE_PLACE(RESULT, NEXT)                                                                                       \
  if ((NEXT).value > (RESULT).value || ((NEXT).value == (RESULT).value && (NEXT).index < (RESULT).index))              \
  (RESULT) = (NEXT)

// All reductions: name, kind of input, type, type in which the host computes, where it starts, operator of OpenMP, and what is
// done with one more element.
#define ZERO_COMPLEX {0, 0}
#define NO_PLACE {-1, -1}
#define FOR_REDUCTIONS(DO)                                                                                             \
  DO(int_sum, int, int, int, 0, +, ADD)                                                                                \
  DO(int_min, int, int, int, 1000, min, TAKE_LESS)                                                                     \
  DO(int_max, int, int, int, -1000, max, TAKE_MORE)                                                                    \
  DO(int_and, bits, int, int, -1, &, TAKE_BITS)                                                                        \
  DO(float_sum, float, float, double, 0, +, ADD)                                                                       \
  DO(float_min, float, float, double, 2, min, TAKE_LESS)                                                               \
  DO(float_max, float, float, double, -1, max, TAKE_MORE)                                                              \
  DO(double_sum, double, double, double, 0, +, ADD)                                                                    \
  DO(double_min, double, double, double, 2, min, TAKE_LESS)                                                            \
  DO(double_max, double, double, double, -1, max, TAKE_MORE)                                                           \
  DO(complex_sum, complex, Complex, Complex, ZERO_COMPLEX, plus, ADD_COMPLEX)                                          \
  DO(place_of_max, place, Place, Place, NO_PLACE, later, TAKE_PLACE)

// Inputs repeat after so many elements, so that the host need not add up 10^9.
#define PERIOD (1L << 20)
#define WORD(KEY, I) hash((KEY) + (uint32_t)((I) & (PERIOD - 1)))

// Element `i` of the input: sums of these integers have no overflow, and sums of the others are far from cancelling.
BOTH static inline int input_int(uint32_t key, long i) { return (int)(WORD(key, i) & 255) - 128; }
// All bits, but one of them is missing in some, unless it is one of the key's.
BOTH static inline int input_bits(uint32_t key, long i) {
  uint32_t word = WORD(key, i);
  return word >> 8 & 63 ? -1 : (int)~(1u << (word & 31) & ~hash(key));
}
BOTH static inline float input_float(uint32_t key, long i) { return (WORD(key, i) >> 8) * 0x1p-24f; }
BOTH static inline double input_double(uint32_t key, long i) { return (WORD(key, i) + 0.5) * 0x1p-32; }
BOTH static inline Complex input_complex(uint32_t key, long i) {
  Complex value = {input_double(key, i), input_double(key ^ 0x5bd1e995u, i)};
  return value;
}
BOTH static inline Place input_place(uint32_t key, long i) {
  Place place = {input_double(key, i), i};
  return place;
}

// Whether a result is as right as the order of additions leaves it.
static inline int near(double result, double right, double relative) {
  double difference = result > right ? result - right : right - result;
  return difference <= relative * (right < 0 ? -right : right); // a NaN is not
}
static inline int same_int(int result, int right) { return result == right; }
static inline int same_bits(int result, int right) { return result == right; }
static inline int same_float(float result, double right) { return near(result, right, 1e-4); }
static inline int same_double(double result, double right) { return near(result, right, 1e-10); }
static inline int same_complex(Complex result, Complex right) {
  return near(result.re, right.re, 1e-10) && near(result.im, right.im, 1e-10);
}
static inline int same_place(Place result, Place right) {
  return result.value == right.value && result.index == right.index;
}

// Inputs of that many samples have places of their own, so that no sample finds its input in a cache.
static inline long windows(long elements) {
  long count = (32L << 20) / elements;
  return count < 1 ? 1 : count > samples ? samples : count;
}

#endif
