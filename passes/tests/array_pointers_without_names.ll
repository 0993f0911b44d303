; Several pointers to arrays of variable length can only be told apart by their names.
; ERROR: region: clang drops the values of its pointers to arrays of variable length, and without their names it is not to be seen which is whose; compile with -fno-discard-value-names

target triple = "nvptx64-nvidia-cuda"

declare ptr @__kmpc_alloc_shared(i64)
declare void @use(ptr, ptr)

define void @region(ptr %0, ptr %1) {
  %a = alloca ptr
  %b = alloca ptr
  store ptr %0, ptr %a
  store ptr %1, ptr %b
  %3 = call align 8 ptr @__kmpc_alloc_shared(i64 8)
  %4 = call align 8 ptr @__kmpc_alloc_shared(i64 8)
  call void @use(ptr %3, ptr %4)
  ret void
}

!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 50}
