; The back end optimises a function that LLVM's passes left alone.
; RUN-ARGS: --passes=omptarget-begin,omptarget-end
; COUNT: 1 "omptarget-finished"
; NOT: optnone

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
