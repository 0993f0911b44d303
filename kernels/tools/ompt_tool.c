// A tool for OMPT: prints each callback about constructs and devices. With TOOL_EMI set it asks for the EMI forms.
// Addresses are printed as 1, or 0 when they are null.
#include <omp-tools.h>
#include <stdio.h>
#include <stdlib.h>

#define SAY(...) fprintf(stderr, "ompt " __VA_ARGS__)

static void target(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device, ompt_data_t *task, ompt_id_t id,
                   const void *code) {
  SAY("target kind %d endpoint %d device %d task %d id %lu code %d\n", kind, endpoint, device, task != 0, id, code != 0);
}

static void data_op(ompt_id_t target, ompt_id_t op, ompt_target_data_op_t kind, void *from, int from_device, void *to,
                    int to_device, size_t bytes, const void *code) {
  SAY("data_op kind %d from %d on %d to %d on %d bytes %zu code %d target %lu op %lu\n", kind, from != 0, from_device,
      to != 0, to_device, bytes, code != 0, target, op);
}

static void submit(ompt_id_t target, ompt_id_t op, unsigned teams) {
  SAY("submit teams %u target %lu op %lu\n", teams, target, op);
}

static void target_emi(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device, ompt_data_t *task,
                       ompt_data_t *target_task, ompt_data_t *target, const void *code) {
  static ompt_id_t next = 100;
  if (endpoint == ompt_scope_begin)
    target->value = next++;
  SAY("target_emi kind %d endpoint %d device %d task %d target_task %d data %lu code %d\n", kind, endpoint, device,
      task != 0, target_task != 0, target->value, code != 0);
}

static void data_op_emi(ompt_scope_endpoint_t endpoint, ompt_data_t *target_task, ompt_data_t *target, ompt_id_t *op,
                        ompt_target_data_op_t kind, void *from, int from_device, void *to, int to_device, size_t bytes,
                        const void *code) {
  static ompt_id_t next = 1000;
  if (endpoint == ompt_scope_begin)
    *op = next++;
  // An allocation has no address before it is made.
  int known = kind != ompt_target_data_alloc || endpoint == ompt_scope_end;
  SAY("data_op_emi kind %d endpoint %d target_task %d data %lu op %lu from %d on %d to %d on %d bytes %zu code %d\n",
      kind, endpoint, target_task != 0, target->value, *op, from != 0, from_device, known && to != 0, to_device, bytes,
      code != 0);
}

static void submit_emi(ompt_scope_endpoint_t endpoint, ompt_data_t *target, ompt_id_t *op, unsigned teams) {
  static ompt_id_t next = 5000;
  if (endpoint == ompt_scope_begin)
    *op = next++;
  SAY("submit_emi endpoint %d data %lu op %lu teams %u\n", endpoint, target->value, *op, teams);
}

static void device_initialize(int device, const char *type, ompt_device_t *handle, ompt_function_lookup_t lookup,
                              const char *documentation) {
  SAY("device_initialize %d type %s traces %d\n", device, type, lookup != 0);
}

static void device_finalize(int device) { SAY("device_finalize %d\n", device); }

static void device_load(int device, const char *file, int64_t offset, void *vma, size_t bytes, void *host,
                        void *address, uint64_t module) {
  SAY("device_load %d file %d offset %ld vma %d bytes %zu host %d address %d module %lu\n", device, file != 0, offset,
      vma != 0, bytes, host != 0, address != 0, module);
}

static void device_unload(int device, uint64_t module) { SAY("device_unload %d module %lu\n", device, module); }

static int begin(ompt_function_lookup_t lookup, int initial_device, ompt_data_t *data) {
  ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
  if (getenv("TOOL_EMI")) {
    set(ompt_callback_target_emi, (ompt_callback_t)target_emi);
    set(ompt_callback_target_data_op_emi, (ompt_callback_t)data_op_emi);
    set(ompt_callback_target_submit_emi, (ompt_callback_t)submit_emi);
  } else {
    set(ompt_callback_target, (ompt_callback_t)target);
    set(ompt_callback_target_data_op, (ompt_callback_t)data_op);
    set(ompt_callback_target_submit, (ompt_callback_t)submit);
  }
  set(ompt_callback_device_initialize, (ompt_callback_t)device_initialize);
  set(ompt_callback_device_finalize, (ompt_callback_t)device_finalize);
  set(ompt_callback_device_load, (ompt_callback_t)device_load);
  set(ompt_callback_device_unload, (ompt_callback_t)device_unload);
  return 1;
}

static void end(ompt_data_t *data) {}

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime) {
  static ompt_start_tool_result_t result = {begin, end, {0}};
  return &result;
}
