// Classes of two files: virtual functions, and globals with constructors.
#pragma omp begin declare target
struct Shape {
  virtual double area() const = 0;
  virtual ~Shape() {}
};
struct Square : Shape {
  double side;
  explicit Square(double side) : side(side) {}
  double area() const override;
};
struct Circle : Shape {
  double radius;
  explicit Circle(double radius) : radius(radius) {}
  double area() const override;
};
struct Unit {
  double scale;
  explicit Unit(double scale);
};
extern Unit metre, inch;
double grow(double value);
#pragma omp end declare target
