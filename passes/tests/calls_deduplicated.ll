; A question that was asked before on every way, or that all ways ask, is asked once (OMP170). Regions between do not matter.
; REMARK: Transformed generic-mode kernel to SPMD-mode. [OMP120]
; REMARK: OpenMP runtime call __kmpc_global_thread_num deduplicated. [OMP170]
; REMARK: OpenMP runtime call omp_get_thread_num deduplicated. [OMP170]
; REMARK: OpenMP runtime call omp_get_thread_num deduplicated. [OMP170]
; REMARK: OpenMP runtime call omp_get_max_threads deduplicated. [OMP170]
; CHECK: define internal void @work
; CHECK: %max = call i32 @omp_get_max_threads()
; CHECK: %one = call i32 @omp_get_thread_num()
; CHECK-NEXT: br i1 %which
; CHECK: store volatile i32 %one, ptr %a
; CHECK: store volatile i32 %one, ptr %a
; CHECK: store volatile i32 %one, ptr %a
; CHECK: store volatile i32 %max, ptr %a
; COUNT: 1 call i32 @__kmpc_global_thread_num
; COUNT: 1 call i32 @omp_get_thread_num
; COUNT: 1 call i32 @omp_get_max_threads

target triple = "nvptx64-nvidia-cuda"
%ident = type { i32, i32, i32, i32, ptr }
%config = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }
%environment = type { %config, ptr, ptr }
@where = private constant %ident zeroinitializer
@k_kernel_environment = constant %environment { %config { i8 1, i8 1, i8 1, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr @where, ptr null }
@place = private constant %ident { i32 0, i32 2, i32 0, i32 0, ptr null }
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
  store ptr %a, ptr %args
  call void @__kmpc_parallel_60(ptr @where, i32 %gtid, i32 1, i32 -1, i32 -1, ptr @work, ptr null, ptr %args, i64 1, i32 0)
  %again = call i32 @__kmpc_global_thread_num(ptr @place)
  call void @__kmpc_parallel_60(ptr @where, i32 %again, i32 1, i32 4, i32 -1, ptr @work, ptr null, ptr %args, i64 1, i32 0)
  call void @__kmpc_target_deinit()
  ret void
}
define internal void @work(ptr %gtid, ptr %btid, ptr %a) {
  %max = call i32 @omp_get_max_threads()
  %read = load i32, ptr %a
  %which = icmp eq i32 %read, 0
  br i1 %which, label %left, label %right
left:
  %one = call i32 @omp_get_thread_num()
  store volatile i32 %one, ptr %a
  br label %both
right:
  %other = call i32 @omp_get_thread_num()
  store volatile i32 %other, ptr %a
  br label %both
both:
  %third = call i32 @omp_get_thread_num()
  store volatile i32 %third, ptr %a
  %more = call i32 @omp_get_max_threads()
  store volatile i32 %more, ptr %a
  ret void
}
declare i32 @__kmpc_target_init(ptr, ptr)
declare void @__kmpc_target_deinit()
declare void @__kmpc_parallel_60(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64, i32)
declare i32 @__kmpc_global_thread_num(ptr)
declare i32 @omp_get_thread_num()
declare i32 @omp_get_max_threads()
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
