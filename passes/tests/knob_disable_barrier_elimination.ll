; openmp-opt-disable-barrier-elimination.
; REMARK: Transformed generic-mode kernel to SPMD-mode. [OMP120]
; RUN-ARGS: -openmp-opt-disable-barrier-elimination
; COUNT: 3 call void @__kmpc_barrier

target triple = "nvptx64-nvidia-cuda"
%ident = type { i32, i32, i32, i32, ptr }
%config = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }
%environment = type { %config, ptr, ptr }
@where = private constant %ident zeroinitializer
@k_kernel_environment = constant %environment { %config { i8 1, i8 1, i8 1, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr @where, ptr null }
define ptx_kernel void @k(ptr %dyn, ptr %a) {
entry:
  %args = alloca [1 x ptr]
  %init = call i32 @__kmpc_target_init(ptr @k_kernel_environment, ptr %dyn)
  %is_user = icmp eq i32 %init, -1
  br i1 %is_user, label %user, label %leave
leave:
  ret void
user:
  call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 -1, i32 -1, ptr @work, ptr null, ptr %args, i64 1, i32 0)
  call void @__kmpc_target_deinit()
  ret void
}
define internal void @work(ptr %gtid, ptr %btid, ptr %a) {
  %number = load i32, ptr %gtid
  call void @__kmpc_barrier(ptr @where, i32 %number)
  %mine = alloca i32
  store i32 1, ptr %mine
  store i32 7, ptr %a
  call void @__kmpc_for_static_fini(ptr @where, i32 %number)
  call void @__kmpc_barrier(ptr @where, i32 %number)
  call void @__kmpc_barrier(ptr @where, i32 %number)
  ret void
}
declare i32 @__kmpc_target_init(ptr, ptr)
declare void @__kmpc_target_deinit()
declare void @__kmpc_parallel_60(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64, i32)
declare void @__kmpc_barrier(ptr, i32)
declare void @__kmpc_for_static_fini(ptr, i32)
declare i32 @__kmpc_single(ptr, i32)
declare void @__kmpc_end_single(ptr, i32)
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
