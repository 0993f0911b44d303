// Interop objects: their properties, and their stream and context in the hands of the CUDA driver API, which the program
// opens by itself as a library for CUDA would.
#include "../features/check.h"
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

extern int ompx_interop_add_completion_callback(omp_interop_t object, void (*function)(void *, void *), void *data);

enum { N = 32 };

static const char PTX[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".visible .entry twice(.param .u64 p) {\n"
                          " .reg .u64 %rd<4>; .reg .u32 %r<4>;\n"
                          " ld.param.u64 %rd1, [p];\n cvta.to.global.u64 %rd1, %rd1;\n"
                          " mov.u32 %r1, %tid.x;\n mul.wide.u32 %rd2, %r1, 4;\n add.u64 %rd3, %rd1, %rd2;\n"
                          " ld.global.u32 %r2, [%rd3];\n add.u32 %r2, %r2, %r2;\n st.global.u32 [%rd3], %r2;\n ret;\n}\n";

// The driver API, as far as it is needed.
static struct {
  int (*push)(void *), (*pop)(void **), (*current)(void **), (*stream_context)(void *, void **);
  int (*alloc)(uint64_t *, size_t), (*release)(uint64_t);
  int (*to_device)(uint64_t, const void *, size_t, void *), (*to_host)(void *, uint64_t, size_t, void *);
  int (*load)(void **, const void *), (*function)(void **, void *, const char *);
  int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
} cu;

static int open_driver(void) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW);
  struct {
    void *slot;
    const char *name;
  } names[] = {{&cu.push, "cuCtxPushCurrent_v2"}, {&cu.pop, "cuCtxPopCurrent_v2"},
               {&cu.current, "cuCtxGetCurrent"},  {&cu.stream_context, "cuStreamGetCtx"},
               {&cu.alloc, "cuMemAlloc_v2"},      {&cu.release, "cuMemFree_v2"},
               {&cu.to_device, "cuMemcpyHtoDAsync_v2"}, {&cu.to_host, "cuMemcpyDtoHAsync_v2"},
               {&cu.load, "cuModuleLoadData"},    {&cu.function, "cuModuleGetFunction"},
               {&cu.launch, "cuLaunchKernel"}};
  for (size_t i = 0; library && i < sizeof names / sizeof *names; ++i)
    if (!(*(void **)names[i].slot = dlsym(library, names[i].name)))
      return 0;
  return library != 0;
}

// Doubles numbers in the object's stream; 0 when all calls worked. Nothing waits.
static int work(void *stream, void *context, uint64_t memory, const int *in, int *out) {
  void *of_stream = 0, *module, *function, *parameters[] = {&memory};
  int code = cu.push(context);
  code |= cu.stream_context(stream, &of_stream);
  code |= of_stream != context;
  code |= cu.load(&module, PTX) | cu.function(&function, module, "twice");
  code |= cu.to_device(memory, in, N * sizeof(int), stream);
  code |= cu.launch(function, 1, 1, 1, N, 1, 1, 0, stream, parameters, 0);
  code |= cu.to_host(out, memory, N * sizeof(int), stream);
  return code | cu.pop(&of_stream);
}

// The calls for the objects of the runtime's own, which a `dispatch` construct is to ask for; no compiler makes them yet.
enum { TARGET_SYNC = 2, IMPLICIT = 1 };
struct construct {
  uint32_t version, flags;
  int32_t thread;
};
extern omp_interop_t __tgt_interop_get(void *ident, int32_t kind, int64_t device, int32_t wishes, void *wish,
                                       struct construct *construct, void *dependences);
extern int __tgt_interop_release(void *ident, omp_interop_t object, struct construct *construct, void *dependences);
extern void __tgt_target_sync(void *ident, int32_t thread, void *task, void *event);
extern int32_t __kmpc_global_thread_num(void *ident);

static omp_interop_t implicit(void) {
  struct construct construct = {0, IMPLICIT, __kmpc_global_thread_num(0)};
  return __tgt_interop_get(0, TARGET_SYNC, -1, 0, 0, &construct, 0);
}

static void count(void *object, void *data) { __atomic_add_fetch((int *)data, object != 0, __ATOMIC_SEQ_CST); }

int main(void) {
  int device = offloads(), rc = 1, done = 0;
  const char *wanted = getenv("OMPTARGET_DEVICE");
  int driver = device && wanted && !strcmp(wanted, "cuda") && open_driver();
  CHECK_THAT("the driver is there", driver == (device && wanted && !strcmp(wanted, "cuda")));

  omp_interop_t object = omp_interop_none, other = omp_interop_none;
#pragma omp interop init(targetsync : object)
#pragma omp interop init(prefer_type("hip", "cuda_driver"), target : other) device(0)
  CHECK_THAT("objects", device == (object != omp_interop_none) && device == (other != omp_interop_none));

  // properties
  CHECK_THAT("fr_id", omp_get_interop_int(object, omp_ipr_fr_id, &rc) == device && rc == (device ? 0 : omp_irc_empty));
  const char *name = omp_get_interop_str(object, omp_ipr_fr_name, &rc);
  CHECK_THAT("fr_name", device ? name && !strcmp(name, "cuda") : !name && rc == omp_irc_empty);
  name = omp_get_interop_str(object, omp_ipr_vendor_name, 0);
  CHECK_THAT("vendor_name", !device || !strcmp(name, "nvidia"));
  CHECK_THAT("device_num", omp_get_interop_int(other, omp_ipr_device_num, &rc) == 0 && (!device || rc == 0));
  CHECK_THAT("type of a string", !device || (!omp_get_interop_str(object, omp_ipr_vendor, &rc) && rc == omp_irc_type_int));
  CHECK_THAT("no platform", !device || (!omp_get_interop_ptr(object, omp_ipr_platform, &rc) && rc == omp_irc_no_value));
  omp_get_interop_int(device ? object : &done, (omp_interop_property_t)-10, &rc);
  CHECK_THAT("out of range", rc == omp_irc_out_of_range || !device);
  void *stream = omp_get_interop_ptr(object, omp_ipr_targetsync, &rc);
  CHECK_THAT("stream", device == (stream && !rc));
  void *context = omp_get_interop_ptr(object, omp_ipr_device_context, &rc);
  CHECK_THAT("context", device == (context && !rc));
  CHECK_THAT("one context", context == omp_get_interop_ptr(other, omp_ipr_device_context, &rc));
  CHECK("implementation-defined properties", omp_get_num_interop_properties(object), 0);
  if (device)
    CHECK_THAT("names", !strcmp(omp_get_interop_name(object, omp_ipr_targetsync), "targetsync") &&
                            !strcmp(omp_get_interop_type_desc(object, omp_ipr_targetsync), "CUstream") &&
                            omp_get_interop_rc_desc(object, omp_irc_other));
  else
    CHECK_THAT("names", 1);

  // work of the driver API after a task, before another one
  int in[N], out[N], seen = 0;
  for (int i = 0; i < N; ++i)
    in[i] = out[i] = -1;
  uint64_t memory = 0;
  if (driver)
    CHECK_THAT("memory", cu.push(context) == 0 && cu.alloc(&memory, sizeof in) == 0 && cu.pop(&context) == 0);
  else
    CHECK_THAT("memory", 1);
  CHECK_THAT("callback", device == !ompx_interop_add_completion_callback(object, count, &done));
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task depend(out : in) shared(in)
    for (int i = 0; i < N; ++i)
      in[i] = i;
#pragma omp interop use(object) depend(inout : in)
    seen = in[N - 1];
    if (driver)
      CHECK("calls of the driver", work(stream, context, memory, in, out), 0);
    else {
      for (int i = 0; i < N; ++i)
        out[i] = in[i] * 2;
      CHECK("calls of the driver", 0, 0);
    }
#pragma omp interop use(object) depend(inout : in) nowait
#pragma omp task depend(in : in) shared(out, seen)
    seen += 1000 * out[N - 1];
#pragma omp taskwait
  }
  CHECK("order of tasks and the stream", device ? seen : 62000 + N - 1, 1000 * 2 * (N - 1) + N - 1);
  CHECK("completed once", device ? done : 1, 1);

  // one object of the runtime's own for each thread, whose work is complete where tasks have to be
  omp_interop_t own[2] = {omp_interop_none, omp_interop_none};
  int again = 0, waited[2] = {0, 0};
#pragma omp parallel num_threads(2) reduction(+ : again)
  {
    int number = omp_get_thread_num(), code = 0, result[N];
    own[number] = implicit();
    again = own[number] == implicit();
    ompx_interop_add_completion_callback(own[number], count, &waited[number]);
#pragma omp critical
    if (driver)
      code = work(omp_get_interop_ptr(own[number], omp_ipr_targetsync, 0), context, memory, in, result);
    __tgt_target_sync(0, __kmpc_global_thread_num(0), 0, 0);
    waited[number] += code || (driver && result[N - 1] != 2 * (N - 1));
    struct construct construct = {0, 0, __kmpc_global_thread_num(0)};
    again += 2 * (__tgt_interop_release(0, own[number], &construct, 0) == (device ? 0 : -1));
  }
  CHECK("found again and released", again, 6);
  CHECK_THAT("one for each thread", device == (own[0] != own[1]));
  CHECK_THAT("waited for", waited[0] == device && waited[1] == device);
  if (driver)
    CHECK_THAT("memory", cu.push(context) == 0 && cu.release(memory) == 0 && cu.pop(&context) == 0);
  else
    CHECK_THAT("memory", 1);
#pragma omp interop destroy(object)
#pragma omp interop destroy(other) nowait
#pragma omp taskwait
  CHECK_THAT("destroyed", object == omp_interop_none && other == omp_interop_none);
  return finish();
}
