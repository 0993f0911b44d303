/* Launches without the hidden first parameter: packets of version 2, and the calls without packet in all forms. */
#include "rex_kmp.h"

char OUT__1__5__main__7__id__ = 0;
REX_ENTRY struct __tgt_offload_entry OUT__1__5__main__7__entry__ = {(void *)&OUT__1__5__main__7__id__,
                                                                    "OUT__1__5__main__7__kernel__", 0, 0, 0};

int main(void) {
  rex_offload_init();
  int a[4] = {1, 2, 3, 4}, n = 4;
  void *id = (void *)&OUT__1__5__main__7__id__;
  void *base[] = {a, &n}, *args[] = {a, &n};
  int64_t sizes[] = {sizeof a, sizeof n}, types[] = {35, 33};
  struct __tgt_kernel_arguments packet = {2, 2, base, args, sizes, types, 0, 0, 0, 0, {0}, {0}, 0};
  printf("version 2: %d,", __tgt_target_kernel(-1, 1, 1, id, &packet));
  printf(" %d %d\n", a[0], a[3]);
  printf("target: %d,", __tgt_target(-1, id, 2, base, args, sizes, types));
  printf(" %d %d\n", a[0], a[3]);
  printf("nowait: %d,", __tgt_target_nowait(-1, id, 2, base, args, sizes, types, 0, 0, 0, 0));
  printf(" %d %d\n", a[0], a[3]);
  printf("mapper: %d,", __tgt_target_mapper(&rex_ident, -1, id, 2, base, args, sizes, types, 0, 0));
  printf(" %d %d\n", a[0], a[3]);
  printf("teams: %d,", __tgt_target_teams(-1, id, 2, base, args, sizes, types, 2, 1));
  printf(" %d %d\n", a[0], a[3]);
  printf("teams, mapper: %d,", __tgt_target_teams_mapper(&rex_ident, -1, id, 2, base, args, sizes, types, 0, 0, 1, 1));
  printf(" %d %d\n", a[0], a[3]);
  /* unregistered, nothing of the image is left; registered again, it is there again */
  rex_offload_fini();
  __tgt_register_lib(&rex_descriptor);
  printf("again: %d,", __tgt_target(-1, id, 2, base, args, sizes, types));
  printf(" %d %d\n", a[0], a[3]);
  return 0;
}
