// A tool in the program: libomp calls it when the host runtime registers the program, and asks for the number of devices.
#include <omp-tools.h>
#include <omp.h>
#include <stdio.h>

static int begin(ompt_function_lookup_t lookup, int initial_device, ompt_data_t *data) {
  printf("tool, initial device %d\n", initial_device);
  return 1;
}

static void end(ompt_data_t *data) {}

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime) {
  static ompt_start_tool_result_t result = {begin, end, {0}};
  return &result;
}

int main(void) {
  int x = 0;
#pragma omp target map(tofrom : x)
  x = 1 + omp_is_initial_device();
  printf("x %d\n", x);
  return 0;
}
