; What LLVM takes for the alignment of a variable, PTX gets.
; RUN-ARGS: --passes=omptarget-last
; CHECK: @large = internal addrspace(1) constant [8 x i32] <*>, align 16
; CHECK: @small = internal addrspace(1) constant [2 x i32] <*>, align 4
; CHECK: @told = internal addrspace(1) constant [8 x i32] <*>, align 8
; CHECK: @elsewhere = external addrspace(1) global [8 x i32]
; NOT: @elsewhere = external addrspace(1) global [8 x i32], align

target triple = "nvptx64-nvidia-cuda"
@large = internal addrspace(1) constant [8 x i32] [i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8]
@small = internal addrspace(1) constant [2 x i32] [i32 1, i32 2]
@told = internal addrspace(1) constant [8 x i32] [i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8], align 8
@elsewhere = external addrspace(1) global [8 x i32]
define i32 @use(i64 %n) {
  %a = getelementptr i32, ptr addrspace(1) @large, i64 %n
  %b = getelementptr i32, ptr addrspace(1) @small, i64 %n
  %c = getelementptr i32, ptr addrspace(1) @told, i64 %n
  %d = getelementptr i32, ptr addrspace(1) @elsewhere, i64 %n
  %x = load i32, ptr addrspace(1) %a
  %y = load i32, ptr addrspace(1) %b
  %z = load i32, ptr addrspace(1) %c
  %w = load i32, ptr addrspace(1) %d
  %s = add i32 %x, %y
  %t = add i32 %s, %z
  %u = add i32 %t, %w
  ret i32 %u
}
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
