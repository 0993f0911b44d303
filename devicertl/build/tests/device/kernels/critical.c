// All threads of all teams, one after the other.
void critical(int *restrict a) {
#pragma omp target teams map(tofrom : a[0 : 2])
#pragma omp parallel
#pragma omp critical
  {
    a[0] += 1;
    a[1] += a[0];
  }
}
