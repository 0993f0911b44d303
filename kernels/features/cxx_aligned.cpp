// Classes with more alignment than malloc gives, all forms of new and delete for them, and the clocks of std::chrono.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <new>
#include <vector>

struct alignas(128) Line {
  int numbers[40];
  explicit Line(int first = 5) { numbers[0] = first; }
  ~Line() { numbers[0] = 0; }
};

struct alignas(32) Vector {
  double parts[4];
};

#pragma omp declare target
static int misaligned(const void *memory, unsigned to) { return memory == nullptr || (std::uintptr_t)memory % to != 0; }

// How many addresses are wrong; what was written is added to `sum`.
static int all(int three, long &sum) {
  int wrong = 0;
  Line *one = new Line(three), *some = new Line[three], *maybe = new (std::nothrow) Line(7);
  Line *maybe_some = new (std::nothrow) Line[2];
  for (Line *line : {one, some, some + 1, maybe, maybe_some})
    wrong += misaligned(line, 128), sum += line->numbers[0];
  delete one;
  delete[] some;
  delete maybe;
  delete[] maybe_some;
  std::align_val_t page{4096};
  void *raw = ::operator new(100, page), *rows = ::operator new[](100, page);
  wrong += misaligned(raw, 4096) + misaligned(rows, 4096);
  ::operator delete(raw, page, std::nothrow);
  ::operator delete[](rows, page, std::nothrow);
  raw = ::operator new(three, std::align_val_t{8}), rows = ::operator new[](0, std::align_val_t{1});
  wrong += misaligned(raw, 8) + misaligned(rows, 1);
  ::operator delete(raw, 3, std::align_val_t{8});
  ::operator delete[](rows, 0, std::align_val_t{1});
  std::vector<Vector> vectors(3);
  for (int i = 0; i < 10; i++)
    vectors.push_back(Vector{{1. * i, 2, 3, 4}});
  for (const Vector &vector : vectors)
    wrong += misaligned(&vector, 32), sum += vector.parts[0] + vector.parts[3];
  auto shared = std::make_shared<Line>(three);
  wrong += misaligned(shared.get(), 128);
  sum += shared->numbers[0];
  return wrong;
}

// Memory comes back: more than a device's heap has, a little at a time.
static int comes_back() {
  for (int i = 0; i < 100; i++) {
    char *memory = new (std::align_val_t{256}) char[1 << 20];
    if (misaligned(memory, 256))
      return 0;
    memory[i] = 1;
    ::operator delete[](memory, std::align_val_t{256});
  }
  return 1;
}

static int passes() {
  auto day = std::chrono::system_clock::now();
  auto start = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - start < std::chrono::microseconds(3))
    ;
  auto passed = std::chrono::system_clock::now() - day;
  return passed >= std::chrono::microseconds(3) && passed < std::chrono::hours(1) &&
         std::chrono::high_resolution_clock::now().time_since_epoch().count() > 0;
}
#pragma omp end declare target

int main() {
  volatile int given = 3;
  int three = given, wrong = 0, many = 0, back = 0, time = 0;
  long sum = 0, sums = 0, expected = 0;
  int host = all(three, expected);
#pragma omp target map(tofrom : wrong, sum, back, time)
  {
    wrong = all(three, sum);
    back = comes_back();
    time = passes();
  }
#pragma omp target teams distribute parallel for num_teams(2) thread_limit(32) map(tofrom : many, sums)                                  \
    reduction(+ : many, sums)
  for (int i = 0; i < 64; i++)
    many += all(three, sums);
  std::printf("%d %d %d wrong, %ld %ld of %ld, %d %d\n", host, wrong, many, sum, sums, expected, back, time);
  return !(host + wrong + many == 0 && sum == expected && sums == 64 * expected && back && time);
}
