; Null where the other value is an address in shared memory is hidden from LLVM, in a select and in a PHI; elsewhere it stays.
; RUN-ARGS: --passes=omptarget-last
; CHECK: define ptr @chosen(
; CHECK: %1 = call ptr asm "", "=l,0"(ptr null)
; CHECK: select i1 %c, ptr addrspacecast (ptr addrspace(3) @word to ptr), ptr %1
; CHECK: define ptr @met(
; CHECK: then:
; CHECK: call ptr asm "", "=l,0"(ptr null)
; CHECK: phi ptr [ %p, %entry ], [ %0, %then ]
; CHECK: define ptr @other(
; CHECK: select i1 %c, ptr %q, ptr null
; COUNT: 2 call ptr asm

target triple = "nvptx64-nvidia-cuda"
@word = internal addrspace(3) global i64 undef, align 8

define ptr @chosen(i1 %c) {
  %p = select i1 %c, ptr addrspacecast (ptr addrspace(3) @word to ptr), ptr null
  ret ptr %p
}
define ptr @met(i1 %c, i64 %n) {
entry:
  %p = getelementptr i8, ptr addrspacecast (ptr addrspace(3) @word to ptr), i64 %n
  br i1 %c, label %then, label %end
then:
  br label %end
end:
  %r = phi ptr [ %p, %entry ], [ null, %then ]
  ret ptr %r
}
define ptr @other(i1 %c, ptr %q) {
  %p = select i1 %c, ptr %q, ptr null
  ret ptr %p
}
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
