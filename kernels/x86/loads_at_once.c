// Libraries that come and go while another thread uses one for the first time, which loads its image: the loader of this system has
// one lock, and who registers a library or takes one back has it.
#include <stdio.h>
#include <unistd.h>

#ifdef LIBRARY
extern void in_loader(void);
// Before the library is registered, and before it is taken back.
__attribute__((section(".init_array.00001"), used)) static void (*const first)(void) = in_loader;
__attribute__((destructor)) static void last(void) { in_loader(); }
#else
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int waits, is_there;

// Long enough for the other thread to come to the loader.
void in_loader(void) {
  if (!waits)
    return;
  waits = 0;
  is_there = 1;
  usleep(300000);
}

static void *load(void *file) { return dlopen(file, RTLD_NOW | RTLD_LOCAL); }
static void *leave(void *library) { return dlclose(library) ? library : NULL; }
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

// What `x` gives while another thread does something with the loader, and what that gives.
static int meanwhile(Function used, int x, void *(*start)(void *), void *given, void **got) {
  is_there = 0;
  waits = 1;
  pthread_t thread;
  pthread_create(&thread, NULL, start, given);
  while (!is_there)
    usleep(1000);
  int result = used(x);
  pthread_join(thread, got);
  return result;
}

int main(int argc, char **argv) {
  if (argc < 4)
    return fprintf(stderr, "usage: %s LIBRARY LIBRARY LIBRARY\n", argv[0]), 99;
  printf("the program: %d\n", twice(1));
  void *first = load(argv[1]), *second, *left;
  if (!first)
    return fprintf(stderr, "%s\n", dlerror()), 1;
  printf("the first library: %d\n", meanwhile(function(first), 2, load, argv[2], &second));
  if (!second)
    return fprintf(stderr, "%s\n", dlerror()), 1;
  printf("the second library: %d\n", function(second)(3));
  void *third = load(argv[3]);
  if (!third)
    return fprintf(stderr, "%s\n", dlerror()), 1;
  printf("the third library: %d\n", meanwhile(function(third), 4, leave, second, &left));
  return left != NULL;
}
#endif
