// The functions of <complex.h>, for both types: as the host has them.
#include "check.h"
#include <complex.h>

enum { N = 60, FUNCTIONS = 16 };

// All of one number, and the parts of the last two in one.
#define ALL(type, suffix)                                                                                              \
  static void all##suffix(type complex z, type complex *w) {                                                           \
    w[0] = cexp##suffix(z);                                                                                            \
    w[1] = clog##suffix(z);                                                                                            \
    w[2] = csqrt##suffix(z);                                                                                           \
    w[3] = csin##suffix(z);                                                                                            \
    w[4] = ccos##suffix(z);                                                                                            \
    w[5] = ctan##suffix(z);                                                                                            \
    w[6] = csinh##suffix(z);                                                                                           \
    w[7] = ccosh##suffix(z);                                                                                           \
    w[8] = ctanh##suffix(z);                                                                                           \
    w[9] = casin##suffix(z);                                                                                           \
    w[10] = cacos##suffix(z);                                                                                          \
    w[11] = catan##suffix(z);                                                                                          \
    w[12] = casinh##suffix(z);                                                                                         \
    w[13] = cacosh##suffix(z);                                                                                         \
    w[14] = catanh##suffix(z);                                                                                         \
    w[15] = cpow##suffix(z, 2 - 0.5f * I) + cabs##suffix(z) + carg##suffix(z) * I;                                     \
  }
#pragma omp begin declare target
ALL(double, )
ALL(float, f)
#pragma omp end declare target

static int differ(double complex a, double complex b, double by) { return !(cabs(a - b) <= by * cabs(b)); }

int main(void) {
  static double complex w[N][FUNCTIONS];
  static float complex v[N][FUNCTIONS];
#pragma omp target teams distribute parallel for map(from : w, v)
  for (int i = 0; i < N; ++i) {
    double complex z = 0.3 * (i % 7) - 0.85 + (0.4 * (i % 11) - 1.9) * I;
    all(z, w[i]);
    allf((float complex)z, v[i]);
  }
  int wrong[2][FUNCTIONS] = {0};
  for (int i = 0; i < N; ++i) {
    double complex z = 0.3 * (i % 7) - 0.85 + (0.4 * (i % 11) - 1.9) * I, want[FUNCTIONS];
    all(z, want);
    for (int k = 0; k < FUNCTIONS; ++k) {
      wrong[0][k] += differ(w[i][k], want[k], 1e-13);
      wrong[1][k] += differ(v[i][k], want[k], 1e-5);
    }
  }
  for (int k = 0; k < FUNCTIONS; ++k) {
    CHECK("double", wrong[0][k], 0);
    CHECK("float", wrong[1][k], 0);
  }
  return finish();
}
