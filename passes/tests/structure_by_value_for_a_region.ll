; A function with a region that all threads call gets a structure of the team, which thread 0 fills, and no copy of each thread.
; REMARK: Transformed generic-mode kernel to SPMD-mode. [OMP120]
; REMARK: Could not move globalized variable to the stack. Variable is potentially captured in call. Mark parameter as `__attribute__((noescape))` to override. [OMP113]
; REMARK: Replaced globalized variable with 8 bytes of shared memory. [OMP111]
; REMARK: Could not move globalized variable to the stack. Variable is potentially captured in call. Mark parameter as `__attribute__((noescape))` to override. [OMP113]
; REMARK: Replaced globalized variable with 8 bytes of shared memory. [OMP111]
; REMARK: Replaced globalized variable with 8 bytes of shared memory. [OMP111]
; REMARK: Found thread data sharing on the GPU. Expect degraded performance due to data globalization. [OMP112]
; CHECK: define ptx_kernel void @k
; NOT: call void @each.spmd(ptr byval
; CHECK: br i1 %is.main, label %user,
; CHECK: call void @llvm.memcpy
; CHECK: call void @each.spmd(ptr
; CHECK: define internal void @each.spmd(ptr %f)

target triple = "nvptx64-nvidia-cuda"
%ident = type { i32, i32, i32, i32, ptr }
%config = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }
%environment = type { %config, ptr, ptr }
%pair = type { i32, i32 }
@where = private constant %ident zeroinitializer
@k_kernel_environment = constant %environment { %config { i8 1, i8 1, i8 1, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr @where, ptr null }

define ptx_kernel void @k(ptr %dyn, ptr %a) {
entry:
  %f = alloca %pair
  %init = call i32 @__kmpc_target_init(ptr @k_kernel_environment, ptr %dyn)
  %is_user = icmp eq i32 %init, -1
  br i1 %is_user, label %user, label %leave
leave:
  ret void
user:
  %x = load i32, ptr %a
  store i32 %x, ptr %f
  call void @each(ptr byval(%pair) align 4 %f)
  call void @each(ptr byval(%pair) align 4 %f)
  call void @__kmpc_target_deinit()
  ret void
}

define internal void @each(ptr byval(%pair) align 4 %f) noinline {
  %args = alloca [1 x ptr]
  %gtid = call i32 @__kmpc_global_thread_num(ptr @where)
  store i32 1, ptr %f
  store ptr %f, ptr %args
  call void @__kmpc_parallel_60(ptr @where, i32 %gtid, i32 1, i32 -1, i32 -1, ptr @region, ptr @region_wrapper, ptr %args, i64 1, i32 0)
  ret void
}
define internal void @region(ptr %gtid, ptr %btid, ptr %a) {
  %old = atomicrmw add ptr %a, i32 7 monotonic
  ret void
}
define internal void @region_wrapper(i16 %level, i32 %thread) {
  ret void
}

declare i32 @__kmpc_target_init(ptr, ptr)
declare void @__kmpc_target_deinit()
declare void @__kmpc_parallel_60(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64, i32)
declare i32 @__kmpc_global_thread_num(ptr)
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
