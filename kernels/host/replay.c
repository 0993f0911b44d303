// Runs a recorded kernel again, with the calls of LLVM's llvm-omp-kernel-replay.
// Arguments: name, teams, thread limit, begin of the recorded memory, then the kernel's arguments.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
  uint64_t reserved;
  uint16_t version, kind;
  uint32_t flags;
  void *address;
  const char *name;
  uint64_t size, data;
  void *auxiliary;
};
struct image {
  void *begin, *end;
  struct entry *entries_begin, *entries_end;
};
struct descriptor {
  int32_t count;
  struct image *images;
  struct entry *entries_begin, *entries_end;
};

extern void __tgt_register_lib(struct descriptor *), __tgt_unregister_lib(struct descriptor *);
extern void __tgt_init_all_rtls(void);
extern int __tgt_activate_record_replay(int64_t, uint64_t, void *, _Bool, _Bool, uint64_t *);
extern int __tgt_target_kernel_replay(void *, int64_t, void *, void *, int64_t, void **, ptrdiff_t *, int32_t, int32_t,
                                      int32_t, uint64_t);

static char *contents(const char *name, const char *suffix, size_t *size) {
  char path[4096];
  snprintf(path, sizeof path, "%s%s", name, suffix);
  FILE *file = fopen(path, "rb");
  if (!file || fseek(file, 0, SEEK_END))
    exit(2);
  *size = ftell(file);
  rewind(file);
  char *bytes = malloc(*size + 1);
  if (fread(bytes, 1, *size, file) != *size)
    exit(2);
  fclose(file);
  return bytes;
}

int main(int argc, char **argv) {
  static char region;
  size_t image_size, memory_size;
  char *image_bytes = contents(argv[1], ".image", &image_size), *memory = contents(argv[1], ".memory", &memory_size);
  struct entry entry = {0, 1, 1, 0, &region, argv[1], 0, 0, 0};
  struct image image = {image_bytes, image_bytes + image_size, &entry, &entry + 1};
  struct descriptor descriptor = {1, &image, &entry, &entry + 1};
  void *arguments[64];
  ptrdiff_t offsets[64] = {0};
  int count = argc - 5;
  for (int i = 0; i < count; ++i)
    arguments[i] = (void *)strtoull(argv[5 + i], 0, 10);
  uint64_t distance = 1;
  __tgt_init_all_rtls();
  int code = __tgt_activate_record_replay(0, memory_size, (void *)strtoull(argv[4], 0, 10), 0, 1, &distance);
  if (distance)
    return fprintf(stderr, "the memory is elsewhere\n"), 3;
  __tgt_register_lib(&descriptor);
  if (!code)
    code = __tgt_target_kernel_replay(0, 0, &region, memory, memory_size, arguments, offsets, count, atoi(argv[2]),
                                      atoi(argv[3]), 0);
  // Recording starts with the device, and a kernel needs memory: both are refused.
  if (!__tgt_activate_record_replay(0, 1, 0, 1, 1, &distance) ||
      !__tgt_target_kernel_replay(0, 0, &region, memory, memory_size * 2, arguments, offsets, count, 1, 1, 0))
    code = 4;
  __tgt_unregister_lib(&descriptor);
  return code;
}
