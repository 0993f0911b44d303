; Regions stay apart: serial code between them that asks the runtime where it is, that is not known, or that stands between
; regions of less than all threads; other clauses; a first region that sets a control variable of its threads.
; REMARK: Transformed generic-mode kernel to SPMD-mode. [OMP120]
; REMARK: Replacing OpenMP runtime call omp_get_level with 0. [OMP180]
; COUNT: 7 call void @__kmpc_parallel_60

target triple = "nvptx64-nvidia-cuda"
%ident = type { i32, i32, i32, i32, ptr }
%config = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }
%environment = type { %config, ptr, ptr }
@where = private constant %ident zeroinitializer
@k_kernel_environment = constant %environment { %config { i8 1, i8 1, i8 1, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr @where, ptr null }

define ptx_kernel void @k(ptr %dyn, ptr %a) {
entry:
  %args = alloca [1 x ptr]
  %more = alloca [1 x ptr]
  %init = call i32 @__kmpc_target_init(ptr @k_kernel_environment, ptr %dyn)
  %is_user = icmp eq i32 %init, -1
  br i1 %is_user, label %user, label %leave
leave:
  ret void
user:
  %gtid = call i32 @__kmpc_global_thread_num(ptr @where)
  store ptr %a, ptr %args
  call void @__kmpc_parallel_60(ptr @where, i32 %gtid, i32 1, i32 -1, i32 -1, ptr @region, ptr null, ptr %args, i64 1, i32 0)
  call void @asks(ptr %a)
  store ptr %a, ptr %more
  call void @__kmpc_parallel_60(ptr @where, i32 %gtid, i32 1, i32 -1, i32 -1, ptr @region, ptr null, ptr %more, i64 1, i32 0)
  store ptr %a, ptr %args
  call void @__kmpc_parallel_60(ptr @where, i32 %gtid, i32 1, i32 4, i32 -1, ptr @region, ptr null, ptr %args, i64 1, i32 0)
  store ptr %a, ptr %args
  call void @__kmpc_parallel_60(ptr @where, i32 %gtid, i32 1, i32 4, i32 3, ptr @other, ptr null, ptr %args, i64 1, i32 0)
  store ptr %a, ptr %more
  call void @__kmpc_parallel_60(ptr @where, i32 %gtid, i32 1, i32 4, i32 3, ptr @region, ptr null, ptr %more, i64 1, i32 0)
  store i32 1, ptr %a
  store ptr %a, ptr %args
  call void @__kmpc_parallel_60(ptr @where, i32 %gtid, i32 1, i32 4, i32 3, ptr @region, ptr null, ptr %args, i64 1, i32 0)
  call void @unknown(ptr %a) #0
  store ptr %a, ptr %args
  call void @__kmpc_parallel_60(ptr @where, i32 %gtid, i32 1, i32 4, i32 3, ptr @region, ptr null, ptr %args, i64 1, i32 0)
  call void @__kmpc_target_deinit()
  ret void
}

define internal void @asks(ptr %a) noinline {
  %level = call i32 @omp_get_level()
  store i32 %level, ptr %a
  ret void
}

define internal void @other(ptr %gtid, ptr %btid, ptr %a) {
  call void @omp_set_num_threads(i32 2)
  store i32 9, ptr %a
  ret void
}
define internal void @region(ptr %gtid, ptr %btid, ptr %a) {
  store i32 7, ptr %a
  ret void
}
define internal void @region_wrapper(i16 %level, i32 %thread) {
  ret void
}

declare i32 @omp_get_level()
declare void @unknown(ptr)
declare void @omp_set_num_threads(i32)
declare i32 @__kmpc_target_init(ptr, ptr)
declare void @__kmpc_target_deinit()
declare void @__kmpc_parallel_60(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64, i32)
declare i32 @__kmpc_global_thread_num(ptr)
attributes #0 = { "llvm.assume"="omp_no_parallelism" }
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
