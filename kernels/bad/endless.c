// Waits for a flag that nobody sets.
int main(void) {
  int flag = 0;
#pragma omp target map(tofrom : flag)
  {
    int seen = 0;
    while (!seen) {
#pragma omp atomic read
      seen = flag;
    }
  }
  return flag;
}
