// Arrays whose size a variable gives: pointers to them, which regions capture, parameters that point to them, and private
// copies. clang 22 loses the values of the first at all levels of optimisation, and leaves the others on the stack of
// one thread although all threads of a region reach them.
#include "check.h"

enum { ROWS = 5, COLUMNS = 7, TEAMS = 3 };

// The host's answer is the same program without a device.
static int wrong(int rows, int columns, double (*a)[columns], double step) {
  int count = 0;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j)
      count += a[i][j] != i * step + j;
  return count;
}

static void clear(int rows, int columns, double (*a)[columns]) {
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j)
      a[i][j] = -1;
}

#pragma omp begin declare target
// What a function with a region gets.
static void fill(int rows, int columns, double a[rows][columns], double step) {
#pragma omp parallel for
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j)
      a[i][j] = i * step + j;
}

static double sum(int rows, int layers, int columns, double (*a)[layers][columns]) {
  double total = 0;
#pragma omp parallel for reduction(+ : total) collapse(3)
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < layers; ++j)
      for (int k = 0; k < columns; ++k)
        total += a[i][j][k];
  a[0][0][0] += total;
  return total;
}

__attribute__((noinline)) static void fill_room(int *room, int size) {
  for (int i = 0; i < size; ++i)
    room[i] = i;
}
#pragma omp end declare target

static void pointers(int rows, int columns, double (*a)[columns], double (*a1)[columns], float (*b)[2][columns]) {
  clear(rows, columns, a);
#pragma omp target map(tofrom : a[ : rows])
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j)
      a[i][j] = i * 10 + j;
  CHECK("serial code", wrong(rows, columns, a, 10), 0);

  clear(rows, columns, a);
#pragma omp target teams distribute map(tofrom : a[ : rows]) num_teams(TEAMS)
  for (int i = 0; i < rows; ++i) {
    a[i][0] = i * 11;
#pragma omp parallel for
    for (int j = 1; j < columns; ++j)
      a[i][j] = a[i][0] + j;
  }
  CHECK("a region in distribute", wrong(rows, columns, a, 11), 0);

  // The first uses of `a` and `a1` are no accesses: clang allocates the variables in another order than it has captured them.
  int same = 0;
  clear(rows, columns, a1);
#pragma omp target map(tofrom : a[ : rows], a1[ : rows], b[ : rows], same)
  {
    if (a == a1)
      same = 1;
    b[1][1][0] = 3;
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j)
        a1[i][j] = a[i][j] + i;
#pragma omp parallel for
    for (int j = 0; j < columns; ++j)
      for (int i = 0; i < rows; ++i)
        b[i][0][j] = a1[i][j] - a[i][j];
  }
  CHECK("several pointers, one", wrong(rows, columns, a, 11), 0);
  CHECK("several pointers, another", wrong(rows, columns, a1, 12), 0);
  CHECK("several pointers, the third", b[1][1][0] == 3 && b[rows - 1][0][columns - 1] == rows - 1 && !same, 1);

  clear(rows, columns, a);
#pragma omp target parallel for map(tofrom : a[ : rows])
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j)
      a[i][j] = i * 13 + j;
  CHECK("a region", wrong(rows, columns, a, 13), 0);

#pragma omp target data map(tofrom : a[ : rows])
#pragma omp target data use_device_ptr(a)
#pragma omp target is_device_ptr(a)
  {
    a[0][0] = 0;
#pragma omp parallel for
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j)
        a[i][j] = i * 14 + j;
  }
  CHECK("a pointer of the device", wrong(rows, columns, a, 14), 0);

#pragma omp target enter data map(to : a[ : rows])
#pragma omp target
  {
    for (int i = 0; i < rows; ++i)
      a[i][0] += i;
#pragma omp parallel for collapse(2)
    for (int i = 0; i < rows; ++i)
      for (int j = 1; j < columns; ++j)
        a[i][j] += i;
  }
#pragma omp target exit data map(from : a[ : rows])
  CHECK("mapped before", wrong(rows, columns, a, 15), 0);
}

static void parameters(int rows, int layers, int columns, double (*a)[columns], double (*c)[layers][columns]) {
  clear(rows, columns, a);
#pragma omp target map(tofrom : a[ : rows])
  fill(rows, columns, a, 16);
  CHECK("a parameter", wrong(rows, columns, a, 16), 0);

  double total = 0;
  for (int i = 0; i < rows * layers * columns; ++i)
    (&c[0][0][0])[i] = 2;
#pragma omp target map(tofrom : c[ : rows], total)
  total = sum(rows, layers, columns, c);
  CHECK("a parameter of two sizes", (int)total, 2 * rows * layers * columns);
  CHECK("a parameter of two sizes, behind the region", (int)c[0][0][0], 2 + 2 * rows * layers * columns);
}

static void private_arrays(int n) {
  int given[n], out[4][COLUMNS];
  for (int i = 0; i < n; ++i)
    given[i] = 7 * i;
  int faults = 0;
#pragma omp target firstprivate(given) map(tofrom : faults)
  {
    given[0] += 2;
#pragma omp parallel for reduction(+ : faults)
    for (int i = 0; i < n; ++i)
      faults += given[i] != 7 * i + (i == 0 ? 2 : 0);
  }
  CHECK("firstprivate of target", faults, 0);

  faults = 0;
#pragma omp target private(given) map(tofrom : faults)
  {
    for (int i = 0; i < n; ++i)
      given[i] = i;
#pragma omp parallel for
    for (int i = 0; i < n; ++i)
      given[i] += 1;
    for (int i = 0; i < n; ++i)
      faults += given[i] != i + 1;
  }
  CHECK("private of target", faults, 0);

#pragma omp target teams distribute private(given) map(from : out) num_teams(2)
  for (int t = 0; t < 4; ++t) {
#pragma omp parallel for
    for (int i = 0; i < n; ++i)
      given[i] = i + t;
    for (int i = 0; i < n; ++i)
      out[t][i] = given[i];
  }
  faults = 0;
  for (int t = 0; t < 4; ++t)
    for (int i = 0; i < n; ++i)
      faults += out[t][i] != i + t;
  CHECK("private of distribute", faults, 0);

#pragma omp target teams firstprivate(given) map(from : out) num_teams(4)
#pragma omp distribute
  for (int t = 0; t < 4; ++t) {
#pragma omp parallel for
    for (int i = 0; i < n; ++i)
      given[i] += i + t;
    for (int i = 0; i < n; ++i)
      out[t][i] = given[i], given[i] -= i + t;
  }
  faults = 0;
  for (int t = 0; t < 4; ++t)
    for (int i = 0; i < n; ++i)
      faults += out[t][i] != 8 * i + t;
  CHECK("firstprivate of teams", faults, 0);

#pragma omp target teams distribute parallel for firstprivate(given) map(from : out)
  for (int t = 0; t < 4; ++t)
    for (int i = 0; i < n; ++i)
      given[i] += t, out[t][i] = given[i], given[i] -= t;
  faults = 0;
  for (int t = 0; t < 4; ++t)
    for (int i = 0; i < n; ++i)
      faults += out[t][i] != 7 * i + t;
  CHECK("firstprivate of each thread", faults, 0);
}

// What a program allocates on the stack itself.
static void allocated(int n) {
  int out[COLUMNS], sums[4];
#pragma omp target map(from : out)
  {
    int *room = __builtin_alloca(n * sizeof(int));
    for (int i = 0; i < n; ++i)
      room[i] = i;
#pragma omp parallel for
    for (int i = 0; i < n; ++i)
      room[i] += 5;
    for (int i = 0; i < n; ++i)
      out[i] = room[i];
  }
  int faults = 0;
  for (int i = 0; i < n; ++i)
    faults += out[i] != i + 5;
  CHECK("allocated on the stack", faults, 0);

  // A size that only serial code knows, which runs in front of the region.
  int sizes[4] = {n, 20, 300, 4}, filled[4] = {0};
#pragma omp target map(tofrom : sizes, filled)
  for (int k = 0; k < 4; ++k) {
    const int size = sizes[k];
    int *room = __builtin_alloca(size * sizeof(int));
#pragma omp parallel for
    for (int i = 0; i < 64; ++i)
#pragma omp atomic
      filled[k] += 1;
    fill_room(room, size);
    for (int i = 0; i < size; ++i)
      filled[k] += room[i];
    sizes[k] = 0x7fffffff;
  }
  faults = filled[0] != 64 + n * (n - 1) / 2 || filled[1] != 64 + 190 || filled[2] != 64 + 44850 || filled[3] != 64 + 6;
  CHECK("allocated in serial code", faults, 0);

#pragma omp target teams distribute parallel for map(from : sums)
  for (int t = 0; t < 4; ++t) {
    int *room = __builtin_alloca((n + t) * sizeof(int));
    for (int i = 0; i < n + t; ++i)
      room[i] = i * t;
    sums[t] = 0;
    for (int i = 0; i < n + t; ++i)
      sums[t] += room[i];
  }
  faults = 0;
  for (int t = 0; t < 4; ++t)
    faults += sums[t] != t * (n + t) * (n + t - 1) / 2;
  CHECK("allocated on the stack of each thread", faults, 0);
}

int main(int count, char **words) {
  (void)words;
  // Sizes that the compiler does not know.
  const int rows = ROWS - 1 + count, columns = COLUMNS - 1 + count, layers = 1 + count;
  double a[rows][columns], a1[rows][columns], c[rows][layers][columns];
  float b[rows][2][columns];
  pointers(rows, columns, a, a1, b);
  parameters(rows, layers, columns, a, c);
  private_arrays(rows);
  allocated(rows);
  return finish();
}
