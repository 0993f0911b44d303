; At a device link a generic kernel may have regions inside regions, whatever openmp-opt wrote down for its file: a function of another file,
; that it calls in serial code, may have them. An SPMD kernel has no such code.
; RUN-ARGS: -openmp-opt-disable-spmdization -openmp-opt-disable-state-machine-rewrite --whole-program
; CHECK: @generic_kernel_environment = constant %environment { %config { i8 1, i8 1, i8 1,
; CHECK: @spmd_kernel_environment = constant %environment { %config { i8 0, i8 0, i8 2,

target triple = "nvptx64-nvidia-cuda"
%ident = type { i32, i32, i32, i32, ptr }
%config = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }
%environment = type { %config, ptr, ptr }
@where = private constant %ident zeroinitializer
@generic_kernel_environment = constant %environment { %config { i8 1, i8 0, i8 1, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr @where, ptr null }
@spmd_kernel_environment = constant %environment { %config { i8 0, i8 0, i8 2, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr @where, ptr null }

define ptx_kernel void @generic(ptr %dyn) {
entry:
  %init = call i32 @__kmpc_target_init(ptr @generic_kernel_environment, ptr %dyn)
  %is_user = icmp eq i32 %init, -1
  br i1 %is_user, label %user, label %leave
leave:
  ret void
user:
  call void @of_another_file()
  call void @__kmpc_target_deinit()
  ret void
}
define ptx_kernel void @spmd(ptr %dyn) {
entry:
  %init = call i32 @__kmpc_target_init(ptr @spmd_kernel_environment, ptr %dyn)
  %is_user = icmp eq i32 %init, -1
  br i1 %is_user, label %user, label %leave
leave:
  ret void
user:
  call void @__kmpc_target_deinit()
  ret void
}
declare void @of_another_file()
declare i32 @__kmpc_target_init(ptr, ptr)
declare void @__kmpc_target_deinit()
!llvm.module.flags = !{!0, !1}
!0 = !{i32 7, !"openmp", i32 51}
!1 = !{i32 7, !"openmp-device", i32 51}
