// Constants that no `declare target` names, in functions of the device and by their addresses.
#include <algorithm>
#include <cstdio>
#include <ranges>
#include <vector>

constexpr int table[4] = {3, 1, 4, 1};
const double weights[3] = {0.5, 0.25, 2};
constexpr int five = 5;
static const char *const names[2] = {"a", "bc"};
template <class T> constexpr T pi[2] = {T(3), T(14)};

struct Plus {
  int more;
  constexpr int operator()(int x) const { return x + more; }
};
inline constexpr Plus plus{3};

// Constants of constants.
struct Node {
  const Node *next;
  const int *value;
};
static const Node last = {nullptr, table}, first = {&last, &five};

static int by_reference(const int &x) { return x; }

static long look(int i) {
  return table[i] + by_reference(five) * 10 + (long)(weights[i] * 4) * 100 + pi<int>[i & 1] * 1000 +
         names[i & 1][i >> 1] * 10000L + *first.value + *first.next->value;
}

static long all(int i) {
  long sum = look(i) * 7 + plus(i);
  for (int value : std::views::iota(0, i) | std::views::transform([](int x) { return x * x; }))
    sum = sum * 7 + value;
  std::vector<int> numbers{5, 1, 4, i};
  std::sort(numbers.begin(), numbers.end());
  std::ranges::reverse(numbers);
  for (int value : numbers)
    sum = sum * 7 + value;
  return sum;
}

int main() {
  volatile int given = 2;
  int two = given;
  long serial = 0, region[32] = {}, direct = 0, host = all(two);
#pragma omp target map(tofrom : serial, direct)
  {
    serial = all(two);
    direct = plus(two) + by_reference(five) + pi<int>[two & 1];
  }
#pragma omp target teams distribute parallel for map(tofrom : region)
  for (int i = 0; i < 32; i++)
    region[i] = all(two);
  int wrong = (serial != host) + (direct != 13);
  for (long value : region)
    wrong += value != host;
  std::printf("%ld %ld %ld, %d wrong\n", host, serial, direct, wrong);
  return wrong != 0;
}
