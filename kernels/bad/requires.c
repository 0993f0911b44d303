// Registers two `requires` entries by hand, of version 0, whose values are the arguments: they must agree.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
  uint64_t reserved;
  uint16_t version, kind;
  uint32_t flags;
  void *address;
  const char *name;
  uint64_t size, data;
  void *aux;
} entry;

typedef struct {
  void *start, *end;
  entry *entries, *entries_end;
} image;

typedef struct {
  int32_t images;
  image *first_image;
  entry *entries, *entries_end;
} descriptor;

void __tgt_register_lib(descriptor *);
void __tgt_unregister_lib(descriptor *);

enum { OPENMP = 1, REQUIRES = 0x10 };

int main(int count, char **arguments) {
  entry entries[2] = {{.kind = OPENMP, .flags = REQUIRES, .name = ""}, {.kind = OPENMP, .flags = REQUIRES, .name = ""}};
  for (int i = 0; i < 2; i++)
    entries[i].data = strtoull(arguments[i + 1], 0, 0);
  image nothing = {0, 0, entries, entries + 2};
  descriptor program = {1, &nothing, entries, entries + 2};
  __tgt_register_lib(&program);
  puts("registered");
  __tgt_unregister_lib(&program);
  int x = 0;
#pragma omp target map(from : x)
  x = 1;
  return x != 1;
}
