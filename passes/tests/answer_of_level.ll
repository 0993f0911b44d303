; The level is known where all ways lead through as many regions; in serial code this thread is the team.
; REMARK: Replacing OpenMP runtime call __kmpc_parallel_level with 0. [OMP180]
; REMARK: Replacing OpenMP runtime call omp_get_level with 0. [OMP180]
; REMARK: Replacing OpenMP runtime call omp_in_parallel with 0. [OMP180]
; REMARK: Replacing OpenMP runtime call __kmpc_parallel_level with 1. [OMP180]
; REMARK: Replacing OpenMP runtime call omp_get_level with 1. [OMP180]
; RUN-ARGS: -openmp-opt-disable-spmdization
; CHECK: define internal void @serial
; CHECK-NEXT: store volatile i16 0
; CHECK-NEXT: store volatile i32 0
; CHECK-NEXT: store volatile i32 0
; CHECK: define internal void @outer
; CHECK-NEXT: store volatile i16 1
; CHECK-NEXT: store volatile i32 1
; CHECK-NEXT: %in = call i32 @omp_in_parallel
; COUNT: 3 call i16 @__kmpc_parallel_level

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
  call void @old(ptr %a)
  call void @serial(ptr %a)
  call void @everywhere(ptr %a)
  call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 -1, i32 -1, ptr @work, ptr null, ptr %args, i64 1, i32 0)
  call void @__kmpc_target_deinit()
  ret void
}
define internal void @work(ptr %gtid, ptr %btid, ptr %a) {
  %args = alloca [1 x ptr]
  call void @outer(ptr %a)
  call void @everywhere(ptr %a)
  call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 -1, i32 -1, ptr @deep, ptr null, ptr %args, i64 1, i32 0)
  ret void
}
define internal void @deep(ptr %gtid, ptr %btid, ptr %a) {
  call void @inner(ptr %a)
  ret void
}
define internal void @old(ptr %a) {
  call void @__kmpc_serialized_parallel(ptr @where, i32 0)
  call void @in_old(ptr %a)
  call void @__kmpc_end_serialized_parallel(ptr @where, i32 0)
  ret void
}
define internal void @in_old(ptr %a) noinline {
  %v = call i16 @__kmpc_parallel_level(ptr @where, i32 0)
  store volatile i16 %v, ptr %a
  %w = call i32 @omp_get_level()
  store volatile i32 %w, ptr %a
  %in = call i32 @omp_in_parallel()
  store volatile i32 %in, ptr %a
  ret void
}
define internal void @serial(ptr %a) noinline {
  %v = call i16 @__kmpc_parallel_level(ptr @where, i32 0)
  store volatile i16 %v, ptr %a
  %w = call i32 @omp_get_level()
  store volatile i32 %w, ptr %a
  %in = call i32 @omp_in_parallel()
  store volatile i32 %in, ptr %a
  ret void
}
define internal void @outer(ptr %a) noinline {
  %v = call i16 @__kmpc_parallel_level(ptr @where, i32 0)
  store volatile i16 %v, ptr %a
  %w = call i32 @omp_get_level()
  store volatile i32 %w, ptr %a
  %in = call i32 @omp_in_parallel()
  store volatile i32 %in, ptr %a
  ret void
}
define internal void @everywhere(ptr %a) noinline {
  %v = call i16 @__kmpc_parallel_level(ptr @where, i32 0)
  store volatile i16 %v, ptr %a
  %w = call i32 @omp_get_level()
  store volatile i32 %w, ptr %a
  %in = call i32 @omp_in_parallel()
  store volatile i32 %in, ptr %a
  ret void
}
define internal void @inner(ptr %a) noinline {
  %v = call i16 @__kmpc_parallel_level(ptr @where, i32 0)
  store volatile i16 %v, ptr %a
  %w = call i32 @omp_get_level()
  store volatile i32 %w, ptr %a
  %in = call i32 @omp_in_parallel()
  store volatile i32 %in, ptr %a
  ret void
}
declare i32 @__kmpc_target_init(ptr, ptr)
declare void @__kmpc_target_deinit()
declare void @__kmpc_parallel_60(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64, i32)
declare i16 @__kmpc_parallel_level(ptr, i32)
declare i32 @omp_get_level()
declare i32 @omp_in_parallel()
declare void @__kmpc_serialized_parallel(ptr, i32)
declare void @__kmpc_end_serialized_parallel(ptr, i32)
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
