/* What a host program in the shape of the REX compiler's output includes: the interface of libomptarget as it declares it,
   and the registration of one device image that lies in a file. Written for these tests; nothing of it is REX's. */
#ifndef REX_KMP_H
#define REX_KMP_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
  int32_t reserved_1, flags, reserved_2, reserved_3;
  const char *psource;
} ident_t;

/* The old form of an entry: 32 bytes. */
struct __tgt_offload_entry {
  void *addr;
  const char *name;
  size_t size;
  int32_t flags, reserved;
};

struct __tgt_device_image {
  void *ImageStart, *ImageEnd;
  struct __tgt_offload_entry *EntriesBegin, *EntriesEnd;
};

struct __tgt_bin_desc {
  int32_t NumDeviceImages;
  struct __tgt_device_image *DeviceImages;
  struct __tgt_offload_entry *HostEntriesBegin, *HostEntriesEnd;
};

struct __tgt_kernel_arguments {
  int32_t Version, NumArgs;
  void **ArgBasePtrs, **ArgPtrs;
  int64_t *ArgSizes, *ArgTypes;
  void **ArgNames, **ArgMappers;
  int64_t Tripcount, Flags;
  int32_t NumTeams[3], ThreadLimit[3];
  int32_t DynCGroupMem;
};

void __tgt_register_lib(struct __tgt_bin_desc *);
void __tgt_unregister_lib(struct __tgt_bin_desc *);
int __tgt_target_kernel(ident_t *, int64_t, int32_t, int32_t, void *, struct __tgt_kernel_arguments *);
int __tgt_target(int64_t, void *, int32_t, void **, void **, int64_t *, int64_t *);
int __tgt_target_nowait(int64_t, void *, int32_t, void **, void **, int64_t *, int64_t *, int32_t, void *, int32_t,
                        void *);
int __tgt_target_mapper(ident_t *, int64_t, void *, int32_t, void **, void **, int64_t *, int64_t *, void **, void **);
int __tgt_target_teams(int64_t, void *, int32_t, void **, void **, int64_t *, int64_t *, int32_t, int32_t);
int __tgt_target_teams_mapper(ident_t *, int64_t, void *, int32_t, void **, void **, int64_t *, int64_t *, void **,
                              void **, int32_t, int32_t);
void __tgt_target_data_begin(int64_t, int32_t, void **, void **, int64_t *, int64_t *);
void __tgt_target_data_end(int64_t, int32_t, void **, void **, int64_t *, int64_t *);
void __tgt_target_data_update(int64_t, int32_t, void **, void **, int64_t *, int64_t *);

/* REX writes calls with five arguments. */
static ident_t rex_ident = {0, 2, 0, 0, ";unknown;unknown;0;0;;"};
#define __tgt_target_kernel(device, blocks, threads, host_ptr, arguments)                                             \
  (__tgt_target_kernel)(&rex_ident, device, blocks, threads, host_ptr, arguments)

#define REX_ENTRY __attribute__((used, section("omp_offloading_entries")))
extern struct __tgt_offload_entry __start_omp_offloading_entries[], __stop_omp_offloading_entries[];

static struct __tgt_device_image rex_image;
static struct __tgt_bin_desc rex_descriptor;
static int rex_state; /* 0 not registered, 1 somebody is at it, 2 registered */

/* The file is read once, whoever comes first; whatever is in it, it has this name. */
static void rex_offload_init(void) {
  int state = 0;
  if (!__atomic_compare_exchange_n(&rex_state, &state, 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    while (__atomic_load_n(&rex_state, __ATOMIC_ACQUIRE) != 2)
      ;
    return;
  }
  FILE *file = fopen("rex_lib_nvidia.cubin", "rb");
  if (!file || fseek(file, 0, SEEK_END)) {
    perror("rex_lib_nvidia.cubin");
    exit(1);
  }
  long size = ftell(file);
  char *bytes = malloc(size);
  rewind(file);
  if (!bytes || fread(bytes, 1, size, file) != (size_t)size) {
    perror("rex_lib_nvidia.cubin");
    exit(1);
  }
  fclose(file);
  struct __tgt_device_image image = {bytes, bytes + size, __start_omp_offloading_entries,
                                     __stop_omp_offloading_entries};
  rex_image = image;
  struct __tgt_bin_desc descriptor = {1, &rex_image, __start_omp_offloading_entries, __stop_omp_offloading_entries};
  rex_descriptor = descriptor;
  __tgt_register_lib(&rex_descriptor);
  __atomic_store_n(&rex_state, 2, __ATOMIC_RELEASE);
}

/* Programs of REX do not call it; one test does. */
__attribute__((unused)) static void rex_offload_fini(void) { __tgt_unregister_lib(&rex_descriptor); }

#endif
