; A limit of one says how many threads or teams there are. Any other is only a limit: the host may launch less.
; REMARK: Replacing OpenMP runtime call __kmpc_get_hardware_num_blocks with 1. [OMP180]
; REMARK: Replacing OpenMP runtime call __kmpc_get_hardware_num_threads_in_block with 1. [OMP180]
; CHECK: define ptx_kernel void @teams
; CHECK: call i32 @__kmpc_get_hardware_num_threads_in_block
; CHECK: store volatile i32 1
; CHECK: define ptx_kernel void @threads
; CHECK: store volatile i32 1
; CHECK: call i32 @__kmpc_get_hardware_num_blocks

target triple = "nvptx64-nvidia-cuda"
%ident = type { i32, i32, i32, i32, ptr }
%config = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }
%environment = type { %config, ptr, ptr }
@where = private constant %ident zeroinitializer
@teams_kernel_environment = constant %environment { %config { i8 0, i8 1, i8 2, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr @where, ptr null }
@threads_kernel_environment = constant %environment { %config { i8 0, i8 1, i8 2, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr @where, ptr null }
define ptx_kernel void @teams(ptr %dyn, ptr %a) "omp_target_thread_limit"="128" "omp_target_num_teams"="1" {
entry:
  %args = alloca [1 x ptr]
  %init = call i32 @__kmpc_target_init(ptr @teams_kernel_environment, ptr %dyn)
  %is_user = icmp eq i32 %init, -1
  br i1 %is_user, label %user, label %leave
leave:
  ret void
user:
  %v = call i32 @__kmpc_get_hardware_num_threads_in_block()
  store volatile i32 %v, ptr %a
  %w = call i32 @__kmpc_get_hardware_num_blocks()
  store volatile i32 %w, ptr %a
  call void @__kmpc_target_deinit()
  ret void
}
define ptx_kernel void @threads(ptr %dyn, ptr %a) "omp_target_thread_limit"="1" "omp_target_num_teams"="3" {
entry:
  %args = alloca [1 x ptr]
  %init = call i32 @__kmpc_target_init(ptr @threads_kernel_environment, ptr %dyn)
  %is_user = icmp eq i32 %init, -1
  br i1 %is_user, label %user, label %leave
leave:
  ret void
user:
  %v = call i32 @__kmpc_get_hardware_num_threads_in_block()
  store volatile i32 %v, ptr %a
  %w = call i32 @__kmpc_get_hardware_num_blocks()
  store volatile i32 %w, ptr %a
  call void @__kmpc_target_deinit()
  ret void
}
declare i32 @__kmpc_target_init(ptr, ptr)
declare void @__kmpc_target_deinit()
declare void @__kmpc_parallel_60(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64, i32)
declare i32 @__kmpc_get_hardware_num_threads_in_block()
declare i32 @__kmpc_get_hardware_num_blocks()
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
