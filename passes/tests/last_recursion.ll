; Of each circle of calls one is through a pointer that ptxas does not know; other calls stay as they are.
; RUN-ARGS: --passes=omptarget-last
; CHECK: define internal i32 @itself(
; CHECK: %1 = call ptr asm "", "=l,0"(ptr @itself)
; CHECK: call i32 %1(i32 %less)
; CHECK: call i32 @leaf(i32 %less)
; CHECK: define internal i32 @even(
; CHECK: call i32 @odd(
; CHECK: define internal i32 @odd(
; CHECK: %1 = call ptr asm "", "=l,0"(ptr @even)
; CHECK: call i32 %1(i32 %less)
; COUNT: 2 call ptr asm

target triple = "nvptx64-nvidia-cuda"

define internal i32 @leaf(i32 %n) {
  ret i32 %n
}
define internal i32 @itself(i32 %n) {
  %less = sub i32 %n, 1
  %done = icmp eq i32 %n, 0
  br i1 %done, label %end, label %again
again:
  %r = call i32 @itself(i32 %less)
  ret i32 %r
end:
  %s = call i32 @leaf(i32 %less)
  ret i32 %s
}
define internal i32 @even(i32 %n) {
  %less = sub i32 %n, 1
  %r = call i32 @odd(i32 %less)
  ret i32 %r
}
define internal i32 @odd(i32 %n) {
  %less = sub i32 %n, 1
  %r = call i32 @even(i32 %less)
  ret i32 %r
}
define ptx_kernel void @k(ptr %p) {
  %a = call i32 @itself(i32 3)
  %b = call i32 @even(i32 3)
  %c = add i32 %a, %b
  store i32 %c, ptr %p
  ret void
}

!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
