// The life of a process around the host runtime: `life fork`, `life exit`, `life end`, `life register`, `life load LIBRARY`, where the
// library is this source compiled with -DLIBRARY.
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int twice(int x) {
  int result = 0;
#pragma omp target map(tofrom : result)
  result = 2 * x + omp_is_initial_device();
  return result;
}

#ifndef LIBRARY
struct descriptor {
  int images;
  void *image, *begin, *end;
};
void __tgt_register_lib(struct descriptor *);
void __tgt_unregister_lib(struct descriptor *);

// A child that starts before its parent has used the device, and one that starts behind it.
static int in_children(void) {
  for (int child = 0; child < 2; ++child) {
    pid_t pid = fork();
    if (pid == 0)
      exit(twice(20 + child));
    int status = 0;
    waitpid(pid, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 2 * (20 + child))
      return 1;
    if (twice(4) != 8)
      return 2;
  }
  return 0;
}

// The process ends while a kernel runs.
static int exit_while_a_kernel_runs(void) {
  static double sums[1024];
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp target nowait map(tofrom : sums)
    for (int i = 0; i < 2000000; ++i)
      sums[i % 1024] += i;
    usleep(50000);
    exit(0);
  }
  return 1;
}

// The program ends while target tasks wait for their turn.
static double many[1024];
static int tasks;
// Runs behind all exit handlers, so when the kernels are unregistered.
__attribute__((destructor)) static void check_many(void) {
  for (int i = 0; i < 1024; ++i)
    if (many[i] != tasks)
      _exit(3);
}
static int end_before_tasks(void) {
  for (; tasks < 20; ++tasks)
#pragma omp target teams distribute parallel for nowait map(tofrom : many) depend(inout : many)
    for (int i = 0; i < 1024; ++i)
      many[i] += 1;
  return 0;
}

// Libraries that are registered several times, never, or not at all.
static int register_again(void) {
  struct descriptor empty = {0}, never = {0};
  for (int i = 0; i < 3; ++i)
    __tgt_register_lib(&empty);
  if (twice(3) != 6)
    return 1;
  for (int i = 0; i < 5; ++i)
    __tgt_unregister_lib(&empty);
  __tgt_unregister_lib(&never);
  __tgt_register_lib(NULL);
  __tgt_unregister_lib(NULL);
  return twice(4) != 8;
}

// A library comes and goes, while another part of the program works on the device.
static int load_again(const char *file) {
  for (int i = 0; i < 4; ++i) {
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library)
      return fprintf(stderr, "%s\n", dlerror()), 1;
    int (*loaded)(int) = (int (*)(int))dlsym(library, "twice");
    if (loaded == twice || loaded(i) != 2 * i || twice(i) != 2 * i)
      return 2;
    if (dlclose(library))
      return 3;
    if (twice(i + 1) != 2 * (i + 1))
      return 4;
  }
  return 0;
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  if (!strcmp(what, "fork"))
    return in_children();
  if (!strcmp(what, "exit"))
    return exit_while_a_kernel_runs();
  if (!strcmp(what, "end"))
    return end_before_tasks();
  if (!strcmp(what, "register"))
    return register_again();
  if (!strcmp(what, "load") && argc > 2)
    return load_again(argv[2]);
  fprintf(stderr, "usage: %s fork|exit|end|register|load LIBRARY\n", argv[0]);
  return 99;
}
#endif
