; A structure that a function takes by value is copied to the caller's stack, unless it is there already.
; CHECK: %by.value = alloca %pair, align 16
; CHECK: %own = alloca %pair
; CHECK: call void @llvm.memcpy.p0.p0.i64(ptr align 16 %by.value, ptr align 1 %a, i64 16, i1 false)
; CHECK-NEXT: call i64 @sum(ptr byval(%pair) align 16 %by.value)
; CHECK: call i64 @sum(ptr byval(%pair) align 8 %own)
; COUNT: 1 call void @llvm.memcpy

target triple = "nvptx64-nvidia-cuda"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
%pair = type { i64, i64 }
define i64 @f(ptr %a) {
  %own = alloca %pair
  call void @fill(ptr %own)
  %first = call i64 @sum(ptr byval(%pair) align 16 %a)
  %second = call i64 @sum(ptr byval(%pair) align 8 %own)
  %both = add i64 %first, %second
  ret i64 %both
}
define internal i64 @sum(ptr byval(%pair) %p) noinline {
  %one = load i64, ptr %p
  %at = getelementptr i64, ptr %p, i64 1
  %two = load i64, ptr %at
  %sum = add i64 %one, %two
  ret i64 %sum
}
declare void @fill(ptr)
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 50}
