// Captured numbers whose addresses are one of several, as in `std::max(j, 1)`.
#include <algorithm>
#include <cstdio>

static int failures = 0;

template <class F> static void check(const char *what, F wanted, const long *found) {
  for (int n = 0; n < 64; n++)
    if (found[n] != wanted(n)) {
      std::printf("%s: %d gives %ld, not %ld\n", what, n, found[n], (long)wanted(n));
      failures++;
      return;
    }
}

#define IN_TEAMS(e)                                                                                                    \
  {                                                                                                                    \
    long found[64] = {};                                                                                               \
    _Pragma("omp target teams distribute parallel for num_teams(2) map(tofrom : found)") for (int n = 0; n < 64; n++)  \
        found[n] = e;                                                                                                  \
    check("teams: " #e, [&](int n) -> long { return e; }, found);                                                      \
  }
#define IN_A_REGION(e)                                                                                                 \
  {                                                                                                                    \
    long found[64] = {};                                                                                               \
    _Pragma("omp target map(tofrom : found)") {                                                                        \
      found[0] = 1;                                                                                                    \
      _Pragma("omp parallel for firstprivate(j, s, f, d, b)") for (int n = 0; n < 64; n++) found[n] = e;               \
    }                                                                                                                  \
    check("region: " #e, [&](int n) -> long { return e; }, found);                                                     \
  }
#define IN_SERIAL_CODE(e)                                                                                              \
  {                                                                                                                    \
    long found[64] = {};                                                                                               \
    _Pragma("omp target map(tofrom : found)") for (int n = 0; n < 64; n++) found[n] = e;                               \
    check("serial: " #e, [&](int n) -> long { return e; }, found);                                                     \
  }
#define EVERYWHERE(e) IN_TEAMS(e) IN_A_REGION(e) IN_SERIAL_CODE(e)

int main() {
  volatile int given = 5;
  int j = given;
  short s = given;
  float f = given;
  double d = given;
  bool b = given == 5;
  unsigned u = given;
  EVERYWHERE(std::max(j, 1))
  EVERYWHERE(std::min(j, n))
  EVERYWHERE(std::clamp(j, 1, 4))
  EVERYWHERE(std::max(std::min(j, 9), 1))
  EVERYWHERE(std::max(f, 1.f))
  EVERYWHERE(std::clamp(f, 1.f, 4.f))
  EVERYWHERE(std::max(d, 0.5))
  EVERYWHERE(std::clamp(s, (short)1, (short)4))
  EVERYWHERE(std::max(b, n > 70))
  IN_TEAMS(std::max(u, 7u))
  IN_TEAMS(std::max({j, n, 6}))
  IN_TEAMS(*(n & 1 ? &j : &n))
  std::printf("%d wrong\n", failures);
  return failures != 0;
}
