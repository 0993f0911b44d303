; With -g the kernel calls the function that clang wrote its code to. It is no serial code: where that is an SPMD kernel's, all threads run it, each with
; variables of its own.
; RUN-ARGS: --openmp-opt-disable-deglobalization
; CHECK: define internal void @k_debug(
; CHECK: %limit = alloca i32
; NOT: call align 16 ptr @__kmpc_alloc_shared

target triple = "nvptx64-nvidia-cuda"
%ident = type { i32, i32, i32, i32, ptr }
%config = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }
%environment = type { %config, ptr, ptr }
@where = private constant %ident zeroinitializer
@k_kernel_environment = constant %environment { %config { i8 0, i8 1, i8 2, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr @where, ptr null }

declare i32 @__kmpc_target_init(ptr, ptr)
declare void @__kmpc_target_deinit()
declare void @__kmpc_parallel_60(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64, i32)

define ptx_kernel void @k(ptr %dyn, ptr %a) {
  call void @k_debug(ptr %dyn, ptr %a)
  ret void
}
define internal void @k_debug(ptr %dyn, ptr %a) noinline {
  %limit = alloca i32
  %args = alloca [2 x ptr]
  %init = call i32 @__kmpc_target_init(ptr @k_kernel_environment, ptr %dyn)
  %is_user = icmp eq i32 %init, -1
  br i1 %is_user, label %user, label %leave
leave:
  ret void
user:
  store i32 3, ptr %limit
  store ptr %a, ptr %args
  %second = getelementptr [2 x ptr], ptr %args, i32 0, i32 1
  store ptr %limit, ptr %second
  call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 -1, i32 -1, ptr @region, ptr null, ptr %args, i64 2, i32 0)
  call void @__kmpc_target_deinit()
  ret void
}
define internal void @region(ptr %gtid, ptr %btid, ptr %a, ptr %limit) {
  %n = load i32, ptr %limit
  store i32 %n, ptr %a
  ret void
}
!llvm.module.flags = !{!0, !1}
!0 = !{i32 7, !"openmp-device", i32 51}
!1 = !{i32 2, !"Debug Info Version", i32 3}
