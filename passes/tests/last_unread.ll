; Behind LLVM's passes: a kernel does not store to shared memory what only other kernels of the file read. Where a call leads
; elsewhere, functions that elsewhere can be called are executed, too.
; RUN-ARGS: --passes=omptarget-last
; CHECK: define ptx_kernel void @alone(
; CHECK-NEXT: rest:
; CHECK-NEXT: ret void
; CHECK: define ptx_kernel void @reads(
; CHECK: store i32 1, ptr addrspace(3) @state
; CHECK: define ptx_kernel void @reads_below(
; CHECK: store i32 %n, ptr addrspace(3) getelementptr
; CHECK: define ptx_kernel void @leaves(
; CHECK: store i32 2, ptr addrspace(3) @open
; CHECK-NEXT: call void @elsewhere()
; CHECK-NEXT: ret void
; CHECK: define ptx_kernel void @volatile(
; CHECK-NEXT: store volatile i32 1, ptr addrspace(3) @kept
; CHECK-NEXT: ret void
; CHECK: define ptx_kernel void @shows(
; CHECK-NEXT: store i32 1, ptr addrspace(3) @shown
; CHECK: define ptx_kernel void @chooses(
; CHECK-NEXT: store i32 4, ptr addrspace(3) @chosen
; CHECK-NEXT: select
; CHECK-NEXT: store i32 5
; CHECK-NEXT: load i32
; CHECK: define ptx_kernel void @does_not(
; CHECK-NEXT: ret void
; NOT: @never

target triple = "nvptx64-nvidia-cuda"
@state = internal addrspace(3) global i32 undef
@pair = internal addrspace(3) global [2 x i32] undef
@open = internal addrspace(3) global i32 undef
@kept = internal addrspace(3) global i32 undef
@shown = internal addrspace(3) global i32 undef
@chosen = internal addrspace(3) global i32 undef
@never = internal addrspace(3) global i32 undef
define ptx_kernel void @alone(ptr %a, i32 %n) {
  %main = icmp eq i32 %n, 0
  br i1 %main, label %first, label %rest
first:
  store i32 1, ptr addrspace(3) @state
  store i32 %n, ptr addrspace(3) getelementptr ([2 x i32], ptr addrspace(3) @pair, i64 0, i64 1)
  br label %rest
rest:
  store atomic i32 1, ptr addrspace(3) @open monotonic, align 4
  ret void
}
define ptx_kernel void @reads(ptr %a) {
  store i32 1, ptr addrspace(3) @state
  %read = load i32, ptr addrspace(3) @state
  store i32 %read, ptr %a
  store i32 1, ptr addrspace(3) @open
  ret void
}
define ptx_kernel void @reads_below(ptr %a, i32 %n) {
  store i32 %n, ptr addrspace(3) getelementptr ([2 x i32], ptr addrspace(3) @pair, i64 0, i64 1)
  call void @below(ptr %a)
  ret void
}
define internal void @below(ptr %a) noinline {
  %read = load i32, ptr addrspacecast (ptr addrspace(3) @pair to ptr)
  store i32 %read, ptr %a
  ret void
}
define ptx_kernel void @leaves(ptr %a) {
  store i32 1, ptr addrspace(3) @state
  store i32 2, ptr addrspace(3) @open
  call void @elsewhere()
  ret void
}
declare void @elsewhere()
define void @from_elsewhere(ptr %a) {
  store i32 3, ptr addrspace(3) @never
  %old = atomicrmw add ptr addrspace(3) @open, i32 1 monotonic
  store i32 %old, ptr %a
  ret void
}
define ptx_kernel void @volatile() {
  store volatile i32 1, ptr addrspace(3) @kept
  ret void
}
define ptx_kernel void @shows(ptr %a) {
  store i32 1, ptr addrspace(3) @shown
  store ptr addrspace(3) @shown, ptr %a
  ret void
}
define ptx_kernel void @chooses(ptr %a, i1 %which) {
  store i32 4, ptr addrspace(3) @chosen
  %one = select i1 %which, ptr addrspacecast (ptr addrspace(3) @chosen to ptr), ptr %a
  store i32 5, ptr %one
  %read = load i32, ptr %one
  store i32 %read, ptr %a
  ret void
}
define ptx_kernel void @does_not() {
  store i32 4, ptr addrspace(3) @chosen
  ret void
}
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
