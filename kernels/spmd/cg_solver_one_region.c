// A conjugate-gradient-like solver entirely in one target region: serial scalars steer a loop of parallel reductions.
#include "shape.h"

void f(double *x, double *r, double *p, double *q, int n, int maxit, double tol) {
#pragma omp target map(tofrom : x[0 : n], r[0 : n], p[0 : n], q[0 : n])
  {
    double rho = 0;
#pragma omp parallel for reduction(+ : rho)
    for (int i = 0; i < n; i++) {
      p[i] = r[i];
      rho += r[i] * r[i];
    }
    for (int it = 0; it < maxit && rho > tol; it++) {
      double pq = 0;
#pragma omp parallel for reduction(+ : pq)
      for (int i = 0; i < n; i++) {
        double v = 2 * p[i];
        if (i > 0)
          v -= p[i - 1];
        if (i < n - 1)
          v -= p[i + 1];
        q[i] = v;
        pq += v * p[i];
      }
      double alpha = rho / pq, rho2 = 0;
#pragma omp parallel for reduction(+ : rho2)
      for (int i = 0; i < n; i++) {
        x[i] += alpha * p[i];
        r[i] -= alpha * q[i];
        rho2 += r[i] * r[i];
      }
      double beta = rho2 / rho;
      rho = rho2;
#pragma omp parallel for
      for (int i = 0; i < n; i++)
        p[i] = r[i] + beta * p[i];
    }
  }
}

int main(void) {
  double x[N] = {0}, r[N], p[N] = {0}, q[N] = {0};
  FILL(r);
  f(x, r, p, q, N, 5, 3e-3);
  for (int i = 0; i < N; i++)
    printf("%d: %.6f %.6f %.6f %.6f\n", i, x[i], r[i], p[i], q[i]);
}
