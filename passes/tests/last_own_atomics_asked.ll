; Behind LLVM's passes: an atomic operation of the program whose address may be one of the stack asks the machine. What a kernel gets is
; in memory that others can address, and so is what stands in such memory; the runtime's operations, which are for a team or the device, are left alone.
; RUN-ARGS: --passes=omptarget-last
; CHECK: define internal i32 @task(
; CHECK: call i1 @llvm.nvvm.isspacep.local(ptr %x)
; CHECK: load i32, ptr %x
; CHECK: add i32
; CHECK: store i32
; CHECK: atomicrmw add ptr %x, i32 5
; CHECK: phi i32
; CHECK: ret i32
; CHECK: define internal void @of_the_runtime(
; CHECK: atomicrmw add ptr %a, i32 7
; CHECK: ret void
; COUNT: 2 isspacep
; COUNT: 5 atomicrmw

target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @kernel(ptr %a, i32 %n) {
  %mine = alloca i32
  %direct = atomicrmw add ptr %a, i32 1 monotonic
  %next = load ptr, ptr %a
  %element = getelementptr i32, ptr %next, i32 %n
  %behind = atomicrmw add ptr %element, i32 2 monotonic
  call void @known(ptr %a)
  call void @run(ptr @task, ptr %mine)
  call void @run(ptr @of_the_runtime, ptr %mine)
  ret void
}
define internal void @known(ptr %b) noinline {
  %old = atomicrmw add ptr %b, i32 3 monotonic
  ret void
}
define internal i32 @task(ptr %x) {
  %old = atomicrmw add ptr %x, i32 5 monotonic
  ret i32 %old
}
define internal void @of_the_runtime(ptr %a) {
  %old = atomicrmw add ptr %a, i32 7 syncscope("device") monotonic
  ret void
}
declare void @run(ptr, ptr)
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
