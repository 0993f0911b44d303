// Work for the profile to look at: good and bad access to memory, divergence, waits at barriers, many launches.
#include <stdio.h>
#include <stdlib.h>

enum { N = 256 };
static double a[N * N], b[N * N], c[N * N];

int main(int argc, char **argv) {
  int steps = argc > 1 ? atoi(argv[1]) : 20;
  double sum = 0;
  for (int i = 0; i < N * N; i++)
    a[i] = i % 7, b[i] = i % 5;
#pragma omp target data map(to : a, b) map(from : c)
  {
    // Neighbouring threads write N elements apart.
#pragma omp target teams distribute parallel for collapse(2)
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        c[j * N + i] = a[i * N + j];
    for (int step = 0; step < steps; step++) {
#pragma omp target teams distribute parallel for
      for (int i = 0; i < N * N; i++)
        b[i] += 0.5 * a[i];
    }
    // Every third thread goes another way.
#pragma omp target teams distribute parallel for reduction(+ : sum)
    for (int i = 0; i < N * N; i++)
      if (i % 3 == 0)
        sum += b[i];
      else
        sum += a[i] * a[i];
    // Threads with more work than others, whom all wait for.
#pragma omp target teams distribute num_teams(8)
    for (int t = 0; t < 8; t++) {
      double tile[128];
#pragma omp parallel num_threads(128)
      {
#pragma omp for
        for (int i = 0; i < 128; i++) {
          double x = 0;
          for (int k = 0; k < i; k++)
            x += a[k];
          tile[i] = x;
        }
#pragma omp for
        for (int i = 0; i < 128; i++)
          c[t * 128 + i] += tile[i * 16 % 128];
      }
    }
  }
  printf("%.1f %.1f\n", sum, c[5]);
}
