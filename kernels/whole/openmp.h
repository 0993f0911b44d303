/* For kernels in OpenMP: what several of them have. */
#ifndef OPENMP_H
#define OPENMP_H

static double dot(long n, const double *a, const double *b) {
  double sum = 0;
#pragma omp target teams distribute parallel for is_device_ptr(a, b) reduction(+ : sum)
  for (long i = 0; i < n; ++i)
    sum += a[i] * b[i];
  return sum;
}

#endif
