; The mode is known where all kernels that come here have the same; that one is generic, only when the whole program is there.
; RUN-ARGS: -openmp-opt-disable-spmdization
; REMARK: Replacing OpenMP runtime call __kmpc_is_spmd_exec_mode with 1. [OMP180]
; CHECK: define internal void @spmd
; CHECK-NEXT: store volatile i8 1, ptr %a
; COUNT: 3 call i8 @__kmpc_is_spmd_exec_mode

target triple = "nvptx64-nvidia-cuda"
%ident = type { i32, i32, i32, i32, ptr }
%config = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }
%environment = type { %config, ptr, ptr }
@where = private constant %ident zeroinitializer
@one_kernel_environment = constant %environment { %config { i8 0, i8 1, i8 2, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr @where, ptr null }
@two_kernel_environment = constant %environment { %config { i8 0, i8 1, i8 6, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr @where, ptr null }
@three_kernel_environment = constant %environment { %config { i8 1, i8 1, i8 1, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr @where, ptr null }
define ptx_kernel void @one(ptr %dyn, ptr %a) {
entry:
  %args = alloca [1 x ptr]
  %init = call i32 @__kmpc_target_init(ptr @one_kernel_environment, ptr %dyn)
  %is_user = icmp eq i32 %init, -1
  br i1 %is_user, label %user, label %leave
leave:
  ret void
user:
  call void @spmd(ptr %a)
  call void @both(ptr %a)
  call void @__kmpc_target_deinit()
  ret void
}
define ptx_kernel void @two(ptr %dyn, ptr %a) {
entry:
  %args = alloca [1 x ptr]
  %init = call i32 @__kmpc_target_init(ptr @two_kernel_environment, ptr %dyn)
  %is_user = icmp eq i32 %init, -1
  br i1 %is_user, label %user, label %leave
leave:
  ret void
user:
  call void @spmd(ptr %a)
  call void @__kmpc_target_deinit()
  ret void
}
define ptx_kernel void @three(ptr %dyn, ptr %a) {
entry:
  %args = alloca [1 x ptr]
  %init = call i32 @__kmpc_target_init(ptr @three_kernel_environment, ptr %dyn)
  %is_user = icmp eq i32 %init, -1
  br i1 %is_user, label %user, label %leave
leave:
  ret void
user:
  call void @both(ptr %a)
  call void @generic(ptr %a)
  call void @ext_user(ptr %a)
  call void @__kmpc_target_deinit()
  ret void
}
define internal void @spmd(ptr %a) noinline {
  %v = call i8 @__kmpc_is_spmd_exec_mode()
  store volatile i8 %v, ptr %a
  ret void
}
define internal void @both(ptr %a) noinline {
  %v = call i8 @__kmpc_is_spmd_exec_mode()
  store volatile i8 %v, ptr %a
  ret void
}
define internal void @generic(ptr %a) noinline {
  %v = call i8 @__kmpc_is_spmd_exec_mode()
  store volatile i8 %v, ptr %a
  ret void
}
define void @ext_user(ptr %a) {
  %v = call i8 @__kmpc_is_spmd_exec_mode()
  store volatile i8 %v, ptr %a
  ret void
}
declare i32 @__kmpc_target_init(ptr, ptr)
declare void @__kmpc_target_deinit()
declare void @__kmpc_parallel_60(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64, i32)
declare i8 @__kmpc_is_spmd_exec_mode()
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
