; LLVM's passes leave a function alone that is marked as finished.
; RUN-ARGS: --passes=omptarget-begin,default<O2>
; CHECK: call <*> @library(
; CHECK: add <*> %n, 0
; CHECK: attributes <*> noinline optnone

target triple = "nvptx64-nvidia-cuda"
define i32 @call(ptr %a) {
  %n = call i32 @library(ptr %a)
  ret i32 %n
}
define internal i32 @library(ptr %a) "omptarget-finished" {
  %n = load i32, ptr %a
  %sum = add i32 %n, 0
  ret i32 %sum
}
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
