; Thread 0 runs an undeferred task and its regions alone, and a function called from it as it is; the same function elsewhere
; is run by all threads.
; REMARK: Transformed generic-mode kernel to SPMD-mode. [OMP120]
; CHECK: br i1 %is.main, label %user, label %region.barrier
; CHECK: user:
; CHECK: call void @__kmpc_omp_task_begin_if0(
; CHECK: br i1 %more, label %once, label %done
; CHECK: once:
; CHECK: call void @__kmpc_parallel_60(ptr @where, i32 %gtid, i32 0, i32 64,
; CHECK: done:
; CHECK: call void @work(ptr %a)
; CHECK: call void @__kmpc_omp_task_complete_if0(
; CHECK: region.barrier:
; CHECK: call void @work.spmd(ptr %a)
; CHECK: define internal void @work.spmd(
; CHECK: call void @__kmpc_parallel_60(ptr @where, i32 %gtid, i32 1, i32 -1,

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
  %gtid = call i32 @__kmpc_global_thread_num(ptr @where)
  %task = call ptr @__kmpc_omp_task_alloc(ptr @where, i32 %gtid, i32 1, i64 40, i64 8, ptr @entry)
  call void @__kmpc_omp_task_begin_if0(ptr @where, i32 %gtid, ptr %task)
  store ptr %a, ptr %args
  %v = load i32, ptr %a
  %more = icmp ne i32 %v, 0
  br i1 %more, label %once, label %done
once:
  call void @__kmpc_parallel_60(ptr @where, i32 %gtid, i32 1, i32 64, i32 -1, ptr @region, ptr @region_wrapper, ptr %args, i64 1, i32 0)
  br label %done
done:
  call void @work(ptr %a)
  call void @__kmpc_omp_task_complete_if0(ptr @where, i32 %gtid, ptr %task)
  call void @work(ptr %a)
  call void @__kmpc_target_deinit()
  ret void
}

define internal void @work(ptr %a) noinline {
  %args = alloca [1 x ptr]
  %gtid = call i32 @__kmpc_global_thread_num(ptr @where)
  store ptr %a, ptr %args
  call void @__kmpc_parallel_60(ptr @where, i32 %gtid, i32 1, i32 -1, i32 -1, ptr @region, ptr @region_wrapper, ptr %args, i64 1, i32 0)
  ret void
}

define internal i32 @entry(i32 %gtid, ptr %task) {
  ret i32 0
}
define internal void @region(ptr %gtid, ptr %btid, ptr %a) {
  store i32 7, ptr %a
  ret void
}
define internal void @region_wrapper(i16 %level, i32 %thread) {
  ret void
}

declare i32 @__kmpc_target_init(ptr, ptr)
declare void @__kmpc_target_deinit()
declare void @__kmpc_parallel_60(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64, i32)
declare i32 @__kmpc_global_thread_num(ptr)
declare ptr @__kmpc_omp_task_alloc(ptr, i32, i32, i64, i64, ptr)
declare void @__kmpc_omp_task_begin_if0(ptr, i32, ptr)
declare void @__kmpc_omp_task_complete_if0(ptr, i32, ptr)
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
