// The other file of pointer.c: its function needs nothing of the runtime, so it links without device LTO too.
#pragma omp begin declare target
typedef void work(int *);

static void sums(int *a) {
  for (int i = 1; i < 100; i++)
    a[i] += a[i - 1];
}

work *other = sums;
#pragma omp end declare target
