// C++: members that offload, templates, lambdas, references, operators, containers mapped by their data, user-defined
// mappers, virtual functions inside one kernel, globals of class type.
#include "check.h"
#include <cmath>
#include <vector>

constexpr int N = 500;

template <class T> class Field {
public:
  explicit Field(int n) : length(n), values(new T[n]) {
#pragma omp target enter data map(to : this[0 : 1]) map(alloc : values[0 : n])
  }
  Field(const Field &) = delete;
  Field &operator=(const Field &) = delete;
  ~Field() {
#pragma omp target exit data map(delete : values[0 : length], this[0 : 1])
    delete[] values;
  }

  template <class F> void fill(F make) {
#pragma omp target teams distribute parallel for
    for (int i = 0; i < length; ++i)
      values[i] = make(i);
  }

  T sum() const {
    T total = 0;
#pragma omp target teams distribute parallel for reduction(+ : total)
    for (int i = 0; i < length; ++i)
      total += values[i];
    return total;
  }

  const T *fetch() {
#pragma omp target update from(values[0 : length])
    return values;
  }

private:
  int length;
  T *values;
};

// Function objects with names: clang gives a kernel whose template argument is a lambda no name that the host finds.
struct Line {
  double slope, offset;
  double operator()(int i) const { return slope * i + offset; }
};
struct Remainder {
  int divisor;
  int operator()(int i) const { return i % divisor; }
};

struct Complex {
  double re, im;
  Complex operator*(const Complex &o) const { return {re * o.re - im * o.im, re * o.im + im * o.re}; }
  Complex &operator+=(const Complex &o) {
    re += o.re;
    im += o.im;
    return *this;
  }
};
#pragma omp declare reduction(+ : Complex : omp_out += omp_in) initializer(omp_priv = Complex{0, 0})

struct Row {
  int n;
  double *data;
};
#pragma omp declare mapper(Row r) map(r, r.data[0 : r.n])

#pragma omp begin declare target
struct Shape {
  virtual ~Shape() = default;
  virtual double area() const = 0;
};
struct Square : Shape {
  double side;
  explicit Square(double s) : side(s) {}
  double area() const override { return side * side; }
};
struct Disk : Shape {
  double radius;
  explicit Disk(double r) : radius(r) {}
  double area() const override { return 3 * radius * radius; }
};

struct Limits {
  int low, high;
};
Limits limits{3, 9};

template <class T> T clamp(T value) { return value < limits.low ? limits.low : value > limits.high ? limits.high : value; }
#pragma omp end declare target

int main() {
  {
    Field<double> field(N);
    field.fill(Line{0.5, 0});
    CHECK("class with device memory", field.sum(), 0.25 * N * (N - 1));
    field.fill(Line{1, 2});
    CHECK("function object by value", field.fetch()[N - 1], N + 1.0);
  }
  {
    Field<int> field(N);
    field.fill(Remainder{3});
    CHECK("another instance of the template", field.sum(), 499);
  }

  Complex product{0, 0};
#pragma omp target teams distribute parallel for reduction(+ : product)
  for (int i = 0; i < N; ++i)
    product += Complex{1, 1} * Complex{double(i), -1};
  CHECK("operators and reduction, real", product.re, N * (N - 1) / 2.0 + N);
  CHECK("operators and reduction, imaginary", product.im, N * (N - 1) / 2.0 - N);

  std::vector<int> v(N, 1);
  int *data = v.data();
#pragma omp target teams distribute parallel for map(tofrom : data[0 : N])
  for (int i = 0; i < N; ++i)
    data[i] += i;
  CHECK("vector, by its data", v[N - 1], N);

  int counter = 0;
  int &reference = counter;
#pragma omp target map(tofrom : reference)
  reference += 5;
  CHECK("reference", counter, 5);

  auto twice = [&](int x) { return 2 * x + counter; };
  int result = 0;
#pragma omp target map(from : result) map(to : counter)
  result = twice(10);
  CHECK("lambda that captures by reference", result, 25);

  Row row{N, new double[N]};
  for (int i = 0; i < N; ++i)
    row.data[i] = i;
#pragma omp target teams distribute parallel for map(tofrom : row)
  for (int i = 0; i < row.n; ++i)
    row.data[i] = std::sqrt(row.data[i] * row.data[i]) + 1;
  CHECK("declare mapper", row.data[N - 1], N);
  delete[] row.data;

  double areas = 0;
#pragma omp target map(from : areas)
  {
    Square square(2);
    Disk disk(3);
    const Shape *shapes[] = {&square, &disk, &square};
    areas = 0;
    for (const Shape *shape : shapes)
      areas += shape->area();
  }
  CHECK("virtual functions", areas, 35.0);

  int sum = 0;
#pragma omp target teams distribute parallel for reduction(+ : sum)
  for (int i = 0; i < 20; ++i)
    sum += clamp(i);
  CHECK("global of class type", sum, 3 * 3 + (3 + 4 + 5 + 6 + 7 + 8 + 9) + 9 * 10);
  return finish();
}
