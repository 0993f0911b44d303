; Where the runtime is linked its own questions are answered, too, which is worth no remark; its levels change on the way.
; RUN-ARGS: --whole-program
; NO-REMARK
; NOT: call i8 @__kmpc_is_spmd_exec_mode
; COUNT: 2 call i32 @omp_get_level
; CHECK: define internal void @inside
; CHECK-NEXT: store volatile i8 1, ptr %a

target triple = "nvptx64-nvidia-cuda"
%ident = type { i32, i32, i32, i32, ptr }
%config = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }
%environment = type { %config, ptr, ptr }
@where = private constant %ident zeroinitializer
@k_kernel_environment = constant %environment { %config { i8 0, i8 1, i8 2, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr @where, ptr null }
define ptx_kernel void @k(ptr %dyn, ptr %a) {
entry:
  %args = alloca [1 x ptr]
  %init = call i32 @__kmpc_target_init(ptr @k_kernel_environment, ptr %dyn)
  %is_user = icmp eq i32 %init, -1
  br i1 %is_user, label %user, label %leave
leave:
  ret void
user:
  call void @__kmpc_flush(ptr %a)
  call void @__kmpc_target_deinit()
  ret void
}
define void @__kmpc_flush(ptr %a) {
  call void @inside(ptr %a)
  ret void
}
define internal void @inside(ptr %a) {
  %v = call i8 @__kmpc_is_spmd_exec_mode()
  store volatile i8 %v, ptr %a
  %w = call i32 @omp_get_level()
  store volatile i32 %w, ptr %a
  store volatile i32 1, ptr @level
  %again = call i32 @omp_get_level()
  store volatile i32 %again, ptr %a
  ret void
}
@level = internal global i32 0
declare i32 @__kmpc_target_init(ptr, ptr)
declare void @__kmpc_target_deinit()
declare void @__kmpc_parallel_60(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64, i32)
declare i8 @__kmpc_is_spmd_exec_mode()
declare i32 @omp_get_level()
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
