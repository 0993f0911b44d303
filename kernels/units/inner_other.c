// Regions inside regions, for `inner.c`.
#pragma omp begin declare target
// One thread of three meets the inner region, which reduces what the outer one does as well.
long sections_with_regions(int n) {
  long sum = n;
#pragma omp parallel num_threads(3) reduction(+ : sum)
  {
#pragma omp sections nowait
    {
#pragma omp section
      {
        long first = 0;
#pragma omp parallel reduction(max : first)
        {
          long mine[8];
          for (int i = 0; i < 8; ++i)
            mine[i] = i * n;
          first = mine[n & 7];
        }
        sum += first;
      }
#pragma omp section
      sum += 1000;
    }
  }
  return sum;
}

// Each iteration has a variable of its own that the threads of an inner region change.
long own_counts(int n) {
  long sum = 0;
#pragma omp parallel for num_threads(5) reduction(+ : sum)
  for (int i = 0; i < 40; ++i) {
    long count = 0;
#pragma omp parallel for shared(count)
    for (int j = 0; j < n; ++j) {
#pragma omp atomic
      count += i * j;
    }
    sum += count;
  }
  return sum;
}
#pragma omp end declare target
