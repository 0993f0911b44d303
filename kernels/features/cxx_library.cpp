// Templates of C++'s library that report errors by functions of libstdc++, which end a kernel instead of throwing.
#include <algorithm>
#include <array>
#include <bitset>
#include <cstdio>
#include <deque>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <queue>
#include <string_view>
#include <variant>
#include <vector>

#pragma omp declare target
static long all(int three, int five) {
  long sum = 0;
  std::vector<int> numbers;
  for (int i = 0; i < 20; i++)
    numbers.push_back(i * three);
  sum = sum * 7 + numbers.at(five) + numbers.size();
  std::array<int, 4> constants{1, 2, 3, 4};
  sum = sum * 7 + constants.at(three);
  std::optional<int> maybe;
  if (three > 1)
    maybe = five;
  sum = sum * 7 + maybe.value();
  std::function<int(int)> more = [five](int x) { return x + five; };
  sum = sum * 7 + more(three);
  std::string_view text = "a string";
  sum = sum * 7 + text.find('r') + text.substr(three).size();
  std::deque<int> both{1};
  both.push_front(three);
  sum = sum * 7 + both.at(0);
  std::bitset<70> bits;
  bits.set(five).set(69);
  sum = sum * 7 + bits.count();
  std::priority_queue<int> first;
  first.push(three);
  first.push(five);
  sum = sum * 7 + first.top();
  std::variant<int, double> either = 2.5;
  sum = sum * 7 + (long)std::get<double>(either) + either.index();
  auto shared = std::make_shared<int>(five);
  auto another = shared;
  sum = sum * 7 + *another + shared.use_count();
  int turned[5] = {3, 1, 2, 5, 4};
  std::partial_sum(turned, turned + 5, turned);
  sum = sum * 7 + turned[4];
  std::reverse(turned, turned + 5);
  std::rotate(turned, turned + 1, turned + 5);
  return sum * 7 + turned[0];
}
#pragma omp end declare target

int main() {
  volatile int given[2] = {3, 5};
  int three = given[0], five = given[1];
  long serial = 0, region[4] = {}, direct = 0;
#pragma omp target map(tofrom : serial)
  serial = all(three, five);
#pragma omp target teams distribute parallel for num_teams(2) map(tofrom : region)
  for (int i = 0; i < 4; i++)
    region[i] = all(three - i % 2, five);
#pragma omp target map(tofrom : direct)
  {
    std::array<int, 4> constants{1, 2, 3, 4};
    int a[5] = {3, 1, 2, 5, 4};
    std::partial_sum(a, a + 5, a);
    std::reverse(a, a + 5);
    std::rotate(a, a + 1, a + 5);
    direct = constants.at(three) * 100 + a[0];
  }
  std::printf("%ld %ld %ld %ld %ld %ld\n", serial, region[0], region[1], region[2], region[3], direct);
  return !(serial == all(3, 5) && region[0] == serial && region[3] == all(2, 5) && direct == 411);
}
