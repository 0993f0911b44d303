// Containers of C++'s library that are nodes, and strings, which have code in libstdc++ itself.
#include <cstdio>
#include <forward_list>
#include <list>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>

#pragma omp declare target
static long all(int three) {
  long sum = 0;
  auto add = [&sum](long value) { sum = sum * 31 + value; };
  std::map<int, int> tree;
  for (int i = 0; i < 40; i++)
    tree[i * 7 * three % 41] += i;
  for (int i = 0; i < 40; i += three)
    tree.erase(i);
  for (auto [key, value] : tree)
    add(key * value);
  add(tree.lower_bound(10)->second);
  std::multiset<long> several;
  for (int i = 0; i < 12; i++)
    several.insert(i % (three + 1));
  add(several.count(three));
  for (auto at = several.rbegin(); at != several.rend(); ++at)
    add(*at);
  std::list<int> list{5, 1, 4, three};
  list.sort();
  list.reverse();
  std::list<int> other{7, 8};
  list.splice(list.begin(), other);
  list.remove(4);
  for (int value : list)
    add(value);
  std::forward_list<int> single{1, 2, three};
  single.push_front(9);
  add(std::accumulate(single.begin(), single.end(), 0));
  std::unordered_map<long, int> table;
  for (int i = 0; i < 50; i++)
    table[i * three] = i;
  add(table.size());
  add(table.at(30));
  add(table.count(31));
  table.erase(30);
  add(table.size());
  std::string text = "a text that is longer than what fits into a string itself";
  text += std::string(three, '!');
  text.insert(2, "longer ");
  add(text.size());
  add(text.find("itself"));
  add(text.substr(three, 9).compare("onger tex"));
  std::unordered_set<std::string> words{"one", "two", text};
  add(words.count("two") + words.count("three"));
  std::map<std::string, int> named{{"z", 1}, {"a", three}};
  add(named.begin()->second);
  add(std::stoi(std::to_string(three * 1000)));
  std::wstring wide = L"wide";
  wide += L'!';
  add(wide.find(L'!') * 10 + (wide == L"wide!"));
  return sum;
}
#pragma omp end declare target

int main() {
  volatile int given = 3;
  int three = given;
  long serial = 0, region[32] = {}, host = all(three);
#pragma omp target map(tofrom : serial)
  serial = all(three);
#pragma omp target teams distribute parallel for num_teams(2) thread_limit(32) map(tofrom : region)
  for (int i = 0; i < 32; i++)
    region[i] = all(three);
  int wrong = serial != host;
  for (long value : region)
    wrong += value != host;
  std::printf("%ld %ld %ld, %d wrong\n", host, serial, region[31], wrong);
  return wrong != 0;
}
