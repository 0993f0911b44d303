// Algorithms of C++ over arrays of the thread that serial code and regions fill, of which functions get addresses.
#include <algorithm>
#include <cstdio>
#include <numeric>

#pragma omp declare target
static int digits(const int *from, int count) {
  int number = 0;
  for (int i = 0; i < count; i++)
    number = number * 10 + from[i];
  return number;
}
#pragma omp end declare target

int main() {
  int sorted = 0, turned = 0, summed = 0, middle = 0, regions[4] = {}, serial = 0;
#pragma omp target map(tofrom : sorted)
  {
    int a[5] = {3, 1, 2, 5, 4};
    std::sort(a, a + 5);
    sorted = digits(a, 5);
  }
#pragma omp target map(tofrom : turned)
  {
    int a[5] = {3, 1, 2, 5, 4};
    std::reverse(a, a + 5);
    std::rotate(a, a + 1, a + 5);
    turned = digits(a, 5);
  }
#pragma omp target map(tofrom : summed)
  {
    int a[5] = {1, 1, 2, 1, 4};
    std::partial_sum(a, a + 5, a);
    summed = digits(a, 5);
  }
#pragma omp target map(tofrom : middle)
  {
    int a[6] = {6, 3, 1, 2, 5, 4};
    std::nth_element(a, a + 2, a + 6);
    middle = a[2] * 10 + *std::max_element(a, a + 6);
  }
#pragma omp target teams distribute parallel for num_teams(2) map(tofrom : regions)
  for (int i = 0; i < 4; i++) {
    int a[5] = {3, 1, i, 5, 4};
    std::sort(a, a + 5, [](int x, int y) { return x > y; });
    regions[i] = digits(a, 5);
  }
#pragma omp target map(tofrom : serial)
  {
    int a[4] = {2, 9, 4, 1}, sum = 0;
    std::sort(a, a + 4);
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 4; i++)
      sum += a[i] * (i + 1);
    serial = sum * 10000 + digits(a, 4);
  }
  std::printf("%d %d %d %d %d %d %d %d %d\n", sorted, turned, summed, middle, regions[0], regions[1], regions[2], regions[3], serial);
  return !(sorted == 12345 && turned == 52134 && summed == 12459 && middle == 36 && serial == 531249);
}
