; A kernel without an environment (`ompx_bare`, or of CUDA) is a way into the program, too: what it calls is not only run in
; serial code of generic kernels.
; RUN-ARGS: -openmp-opt-disable-spmdization --whole-program
; REMARK: Removing unused state machine from generic-mode kernel. [OMP130]
; REMARK: Replacing OpenMP runtime call __kmpc_is_spmd_exec_mode with 0. [OMP180]
; CHECK: define internal void @of_both
; CHECK-NEXT: call i8 @__kmpc_is_spmd_exec_mode
; CHECK: define internal void @of_one
; CHECK-NEXT: store volatile i8 0, ptr %a

target triple = "nvptx64-nvidia-cuda"
%ident = type { i32, i32, i32, i32, ptr }
%config = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }
%environment = type { %config, ptr, ptr }
@where = private constant %ident zeroinitializer
@k_kernel_environment = constant %environment { %config { i8 1, i8 1, i8 1, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr @where, ptr null }

define ptx_kernel void @k(ptr %dyn, ptr %a) {
entry:
  %init = call i32 @__kmpc_target_init(ptr @k_kernel_environment, ptr %dyn)
  %is_user = icmp eq i32 %init, -1
  br i1 %is_user, label %user, label %leave
leave:
  ret void
user:
  call void @of_both(ptr %a)
  call void @of_one(ptr %a)
  call void @__kmpc_target_deinit()
  ret void
}
define ptx_kernel void @bare(ptr %dyn, ptr %a) {
  call void @of_both(ptr %a)
  ret void
}

define internal void @of_both(ptr %a) noinline {
  %mode = call i8 @__kmpc_is_spmd_exec_mode()
  store volatile i8 %mode, ptr %a
  ret void
}
define internal void @of_one(ptr %a) noinline {
  %mode = call i8 @__kmpc_is_spmd_exec_mode()
  store volatile i8 %mode, ptr %a
  ret void
}

declare i8 @__kmpc_is_spmd_exec_mode()
declare i32 @__kmpc_target_init(ptr, ptr)
declare void @__kmpc_target_deinit()
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
