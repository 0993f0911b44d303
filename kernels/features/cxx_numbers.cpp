// Distributions of <random>, whose numbers are the host's, and functions of std::complex, which are C's.
#include <cmath>
#include <complex>
#include <cstdio>
#include <random>

#pragma omp declare target
template <typename Distribution, typename Engine> static void draw(double *&to, Distribution distribution, Engine &engine) {
  for (int i = 0; i < 3; i++)
    *to++ = distribution(engine);
}

template <typename Engine> static void draw_all(double *&to, unsigned seed) {
  Engine engine(seed);
  draw(to, std::uniform_real_distribution<double>(-1, 1), engine);
  draw(to, std::uniform_real_distribution<float>(0, 1), engine);
  draw(to, std::normal_distribution<double>(0, 1), engine);
  draw(to, std::exponential_distribution<double>(2), engine);
  draw(to, std::gamma_distribution<double>(1, 2), engine);
  draw(to, std::bernoulli_distribution(0.4), engine);
  draw(to, std::poisson_distribution<int>(4), engine);
  draw(to, std::binomial_distribution<int>(10, 0.3), engine);
  draw(to, std::discrete_distribution<int>{1, 2, 3}, engine);
  draw(to, std::uniform_int_distribution<int>(0, 9), engine);
  *to++ = std::generate_canonical<double, 53>(engine);
  *to++ = std::generate_canonical<float, 10>(engine);
}

static void random_numbers(double *to, unsigned seed) {
  draw_all<std::mt19937>(to, seed);
  draw_all<std::mt19937_64>(to, seed);
  draw_all<std::minstd_rand>(to, seed);
  draw_all<std::ranlux24>(to, seed);
}
constexpr int DRAWN = 4 * 32;

template <typename T> static void put(double *&to, std::complex<T> z) { *to++ = z.real(), *to++ = z.imag(); }

template <typename T> static void complex_numbers(double *&to, T x, T y) {
  std::complex<T> z(x, y);
  put(to, std::exp(z)), put(to, std::log(z)), put(to, std::log10(z)), put(to, std::sqrt(z));
  put(to, std::sin(z)), put(to, std::cos(z)), put(to, std::tan(z));
  put(to, std::sinh(z)), put(to, std::cosh(z)), put(to, std::tanh(z));
  put(to, std::asin(z)), put(to, std::acos(z)), put(to, std::atan(z));
  put(to, std::asinh(z)), put(to, std::acosh(z)), put(to, std::atanh(z));
  put(to, std::proj(z)), put(to, std::conj(z)), put(to, std::polar(T(2), x)), put(to, std::pow(z, 2));
  *to++ = std::abs(z), *to++ = std::arg(z), *to++ = std::norm(z), *to++ = std::arg(x);
}
constexpr int FUNCTIONS = 44;
#pragma omp end declare target

// Whether they are not the same but for their last digits.
static int differ(double a, double b, double digits) {
  return !(a == b || (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= digits * std::abs(b));
}

int main() {
  double drawn[DRAWN] = {}, drawn_by_host[DRAWN] = {};
  random_numbers(drawn_by_host, 5);
#pragma omp target map(tofrom : drawn)
  random_numbers(drawn, 5);
  int wrong = 0;
  for (int i = 0; i < DRAWN; i++)
    if (differ(drawn[i], drawn_by_host[i], 1e-12) && wrong++ < 9)
      std::printf("number %d: %.17g instead of %.17g\n", i, drawn[i], drawn_by_host[i]);
  const double places[] = {1.5, -0.3, 0.0, -1e10, 1e-12};
  static double device[25][2][FUNCTIONS], host[2][FUNCTIONS];
#pragma omp target teams distribute parallel for num_teams(1) thread_limit(32) map(to : places) map(from : device)
  for (int i = 0; i < 25; i++) {
    double *to = device[i][0];
    complex_numbers<double>(to, places[i / 5], places[i % 5]);
    complex_numbers<float>(to, places[i / 5], places[i % 5]);
  }
  for (int i = 0; i < 25; i++) {
    double *to = host[0];
    complex_numbers<double>(to, places[i / 5], places[i % 5]);
    complex_numbers<float>(to, places[i / 5], places[i % 5]);
    for (int type = 0; type < 2; type++)
      for (int f = 0; f < FUNCTIONS; f++)
        if (differ(device[i][type][f], host[type][f], type ? 1e-6 : 1e-15) && wrong++ < 40)
          std::printf("%d of %g%+gi: %.17g instead of %.17g\n", f, places[i / 5], places[i % 5], device[i][type][f], host[type][f]);
  }
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
