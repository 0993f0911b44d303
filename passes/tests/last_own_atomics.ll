; Behind LLVM's passes: atomic operations on a variable on the stack, for which PTX has no instruction, become a load, a computation
; and a store. Those on memory that others can address stay.
; RUN-ARGS: --passes=omptarget-last
; CHECK: define internal i32 @own(
; CHECK: %1 = load i32, ptr %place
; CHECK-NEXT: %2 = icmp eq i32 %1, 3
; CHECK-NEXT: %3 = select i1 %2, i32 %n, i32 %1
; CHECK-NEXT: store i32 %3, ptr %place
; CHECK: %new = add i32 %6, 5
; CHECK-NEXT: store i32 %new, ptr %place
; CHECK: ret i32 %old
; CHECK: define internal i32 @others(
; CHECK: cmpxchg ptr %a, i32 3, i32 %n
; CHECK: atomicrmw add ptr %a
; COUNT: 1 cmpxchg
; COUNT: 1 atomicrmw

target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @kernel(ptr %a, i32 %n) {
  %own = call i32 @own(i32 %n)
  %others = call i32 @others(ptr %a, i32 %own)
  store i32 %others, ptr %a
  ret void
}
define internal i32 @own(i32 %n) {
  %x = alloca [2 x i32]
  store i32 3, ptr %x
  %place = getelementptr i32, ptr %x, i32 %n
  %pair = cmpxchg ptr %place, i32 3, i32 %n monotonic monotonic
  %old = extractvalue { i32, i1 } %pair, 0
  %more = atomicrmw add ptr %place, i32 5 monotonic
  ret i32 %old
}
define internal i32 @others(ptr %a, i32 %n) {
  %pair = cmpxchg ptr %a, i32 3, i32 %n monotonic monotonic
  %old = extractvalue { i32, i1 } %pair, 0
  %more = atomicrmw add ptr %a, i32 5 monotonic
  ret i32 %old
}
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
