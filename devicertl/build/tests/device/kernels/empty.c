// Nothing to do, by all threads.
void empty(void) {
#pragma omp target parallel
  ;
}
