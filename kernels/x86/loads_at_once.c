// A library that is loaded while another thread uses one for the first time, which loads its image: the loader of this system has one
// lock, and who registers a library has it.
#include <stdio.h>
#include <unistd.h>

#ifdef LIBRARY
extern void loading(void);
// Before the library is registered.
__attribute__((section(".init_array.00001"), used)) static void (*const first)(void) = loading;
#else
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int waits, is_loading;

// Long enough for the other thread to come to the loader.
void loading(void) {
  is_loading = 1;
  if (waits)
    usleep(300000);
}

static void *load(void *file) { return dlopen(file, RTLD_NOW | RTLD_LOCAL); }
#endif

#ifndef LIBRARY
static
#endif
int twice(int x) {
  int y = 0;
#pragma omp target map(from : y) map(to : x)
  y = 2 * x;
  return y;
}

#ifndef LIBRARY
typedef int (*Function)(int);
static Function function(void *library) { return library ? (Function)dlsym(library, "twice") : NULL; }

int main(int argc, char **argv) {
  if (argc < 3)
    return fprintf(stderr, "usage: %s LIBRARY LIBRARY\n", argv[0]), 99;
  printf("the program: %d\n", twice(1));
  Function first = function(load(argv[1]));
  if (!first)
    return fprintf(stderr, "%s\n", dlerror()), 1;
  is_loading = 0;
  waits = 1;
  pthread_t thread;
  pthread_create(&thread, NULL, load, argv[2]);
  while (!is_loading)
    usleep(1000);
  printf("the first library: %d\n", first(2));
  void *library;
  pthread_join(thread, &library);
  Function second = function(library);
  if (!second)
    return fprintf(stderr, "%s\n", dlerror()), 1;
  printf("the second library: %d\n", second(3));
  return 0;
}
#endif
