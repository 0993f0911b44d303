; With -g clang leaves the private copy of a team on the stack of the main thread of a generic kernel, where the other threads read and
; write stacks of their own. It moves to where all reach it. What unknown code gets stays: there clang has moved what regions may see.
; RUN-ARGS: --openmp-opt-disable-spmdization --openmp-opt-disable-deglobalization
; CHECK: define ptx_kernel void @k(
; CHECK: %to_unknown = alloca i32
; CHECK: user:
; CHECK-NEXT: %copy = call align 16 ptr @__kmpc_alloc_shared(i64 4)
; CHECK-NEXT: %other = call align 16 ptr @__kmpc_alloc_shared(i64 8)
; CHECK: call void @__kmpc_parallel_60(<*> ptr @region, ptr @region_wrapper, ptr %args, i64 3, i32 0)
; CHECK: call void @__kmpc_free_shared(ptr %other, i64 8)
; CHECK-NEXT: call void @__kmpc_free_shared(ptr %copy, i64 4)
; COUNT: 2 call align 16 ptr @__kmpc_alloc_shared

target triple = "nvptx64-nvidia-cuda"
%ident = type { i32, i32, i32, i32, ptr }
%config = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }
%environment = type { %config, ptr, ptr }
@where = private constant %ident zeroinitializer
@k_kernel_environment = constant %environment { %config { i8 1, i8 1, i8 1, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr @where, ptr null }

declare i32 @__kmpc_target_init(ptr, ptr)
declare void @__kmpc_target_deinit()
declare i32 @__kmpc_global_thread_num(ptr)
declare void @__kmpc_parallel_60(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64, i32)
declare void @unknown(ptr)

define ptx_kernel void @k(ptr %dyn, ptr %a) {
entry:
  %copy = alloca i32
  %other = alloca i64
  %to_unknown = alloca i32
  %args = alloca [3 x ptr]
  %init = call i32 @__kmpc_target_init(ptr @k_kernel_environment, ptr %dyn)
  %is_user = icmp eq i32 %init, -1
  br i1 %is_user, label %user, label %leave
leave:
  ret void
user:
  %gtid = call i32 @__kmpc_global_thread_num(ptr @where)
  store i32 0, ptr %copy
  call void @unknown(ptr %to_unknown)
  store ptr %copy, ptr %args
  %second = getelementptr [3 x ptr], ptr %args, i32 0, i32 1
  store ptr %a, ptr %second
  %third = getelementptr [3 x ptr], ptr %args, i32 0, i32 2
  store ptr %other, ptr %third
  call void @__kmpc_parallel_60(ptr @where, i32 %gtid, i32 1, i32 -1, i32 -1, ptr @region, ptr @region_wrapper, ptr %args, i64 3, i32 0)
  %sum = load i32, ptr %copy
  store i32 %sum, ptr %a
  call void @__kmpc_target_deinit()
  ret void
}
define internal void @region(ptr %gtid, ptr %btid, ptr %sum, ptr %a, ptr %other) {
  store i64 1, ptr %other
  %old = atomicrmw add ptr %sum, i32 1 monotonic
  ret void
}
define internal void @region_wrapper(i16 %0, i32 %1) {
  ret void
}
!llvm.module.flags = !{!0, !1}
!0 = !{i32 7, !"openmp-device", i32 51}
!1 = !{i32 2, !"Debug Info Version", i32 3}
