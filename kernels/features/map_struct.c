// Structures: whole, by member, with pointers to other memory, arrays of structures, pointers to pointers.
#include "check.h"
#include <stdlib.h>

enum { N = 64 };

struct vector {
  int length;
  double scale;
  double *data;
};

struct pair {
  char tag;
  long value;
};

struct nested {
  struct pair head;
  int counts[5];
  struct vector body;
};

int main(void) {
  int device = offloads();

  struct pair one = {'a', 5};
#pragma omp target map(tofrom : one)
  {
    one.tag = 'b';
    one.value *= 2;
  }
  CHECK("whole structure", one.value + one.tag, 10 + 'b');

  // the pointer member and the memory behind it
  struct vector v = {N, 3.0, malloc(N * sizeof(double))};
  double *host_data = v.data;
  for (int i = 0; i < N; ++i)
    v.data[i] = i;
#pragma omp target teams distribute parallel for map(to : v) map(tofrom : v.data[0 : N])
  for (int i = 0; i < v.length; ++i)
    v.data[i] *= v.scale;
  CHECK_THAT("the host keeps its pointer", v.data == host_data);
  CHECK("memory behind a member", v.data[N - 1], 3.0 * (N - 1));

  // members one by one; the others are not touched
  struct nested n = {{'x', 1}, {1, 2, 3, 4, 5}, {N, 0.5, v.data}};
#pragma omp target map(tofrom : n.counts) map(to : n.body.scale) map(from : n.head.value)
  {
    for (int i = 0; i < 5; ++i)
      n.counts[i] *= 10;
    n.head.value = (long)(n.body.scale * 8);
  }
  CHECK("array member", n.counts[4], 50);
  CHECK("scalar member from", n.head.value, 4);
  CHECK("member not mapped", n.body.length, N);

  // a structure that is present; its pointer attached later
  struct vector *heap = malloc(sizeof *heap);
  *heap = v;
#pragma omp target enter data map(to : heap[0 : 1])
#pragma omp target enter data map(to : heap->data[0 : N])
#pragma omp target teams distribute parallel for
  for (int i = 0; i < N; ++i)
    heap->data[i] += heap->length;
  CHECK_THAT("attached pointer: not copied yet", v.data[0] == (device ? 0.0 : N));
#pragma omp target update from(heap->data[0 : N])
  CHECK("attached pointer: data came back", v.data[1], 3.0 + N);
#pragma omp target exit data map(delete : heap->data[0 : N])
#pragma omp target exit data map(delete : heap[0 : 1])
  CHECK_THAT("heap structure keeps its host pointer", heap->data == host_data);

  // an array of structures
  struct pair pairs[10];
  for (int i = 0; i < 10; ++i)
    pairs[i] = (struct pair){(char)('a' + i), i};
#pragma omp target map(tofrom : pairs)
  for (int i = 0; i < 10; ++i)
    pairs[i].value += pairs[i].tag;
  CHECK("array of structures", pairs[9].value, 9 + 'j');

  // two members with pointers in one region
  struct {
    int *in, *out;
  } io = {malloc(N * sizeof(int)), malloc(N * sizeof(int))};
  for (int i = 0; i < N; ++i)
    io.in[i] = i, io.out[i] = -1;
#pragma omp target teams distribute parallel for map(to : io.in[0 : N]) map(from : io.out[0 : N])
  for (int i = 0; i < N; ++i)
    io.out[i] = io.in[i] * io.in[i];
  CHECK("two pointer members", io.out[N - 1], (N - 1) * (N - 1));

  free(io.in), free(io.out), free(heap), free(v.data);
  return finish();
}
