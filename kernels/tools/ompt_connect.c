// Introduces itself to the host runtime as LLVM 19's libraries of device kinds do, to reach the tool's callbacks.
#include <omp-tools.h>
#include <stdio.h>

void ompt_libomptarget_connect(ompt_start_tool_result_t *result);

static int begin(ompt_function_lookup_t lookup, int initial_device, ompt_data_t *data) {
  ompt_get_callback_t get = (ompt_get_callback_t)lookup("ompt_get_callback");
  ompt_callback_t callback = 0;
  int found = get ? get(ompt_callback_target, &callback) : 0;
  printf("connected, callback %d\n", found && callback);
  return 0;
}

static void end(ompt_data_t *data) {}

int main(void) {
  static ompt_start_tool_result_t result = {begin, end, {0}};
  int x = 0;
#pragma omp target map(tofrom : x)
  x = 1;
  ompt_libomptarget_connect(&result);
  printf("x %d\n", x);
  return 0;
}
