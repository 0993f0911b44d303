; Answers that change between, of clocks, with other arguments, of other tasks, or for thread 0 alone: all calls stay.
; REMARK: Transformed generic-mode kernel to SPMD-mode. [OMP120]
; COUNT: 2 call double @omp_get_wtime
; COUNT: 2 call i32 @omp_get_max_threads
; COUNT: 2 call i32 @omp_get_team_size
; COUNT: 2 call i32 @omp_get_num_threads
; COUNT: 1 call i32 @omp_in_final

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
  %read = load i32, ptr %a
  %which = icmp eq i32 %read, 0
  br i1 %which, label %some, label %end
some:
  %final = call i32 @omp_in_final()
  store volatile i32 %final, ptr %a
  call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 -1, i32 -1, ptr @other, ptr null, ptr %args, i64 1, i32 0)
  br label %end
end:
  call void @__kmpc_target_deinit()
  ret void
}
define internal void @work(ptr %gtid, ptr %btid, ptr %a) {
  %t1 = call double @omp_get_wtime()
  store volatile double %t1, ptr %a
  %t2 = call double @omp_get_wtime()
  store volatile double %t2, ptr %a
  %m1 = call i32 @omp_get_max_threads()
  store volatile i32 %m1, ptr %a
  call void @omp_set_num_threads(i32 4)
  %m2 = call i32 @omp_get_max_threads()
  store volatile i32 %m2, ptr %a
  %s1 = call i32 @omp_get_team_size(i32 0)
  store volatile i32 %s1, ptr %a
  %s2 = call i32 @omp_get_team_size(i32 1)
  store volatile i32 %s2, ptr %a
  ret void
}
define internal void @other(ptr %gtid, ptr %btid, ptr %a) {
  %n1 = call i32 @omp_get_num_threads()
  store volatile i32 %n1, ptr %a
  call void @__kmpc_serialized_parallel(ptr @where, i32 0)
  %n2 = call i32 @omp_get_num_threads()
  store volatile i32 %n2, ptr %a
  call void @__kmpc_end_serialized_parallel(ptr @where, i32 0)
  ret void
}
declare i32 @__kmpc_target_init(ptr, ptr)
declare void @__kmpc_target_deinit()
declare void @__kmpc_parallel_60(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64, i32)
declare double @omp_get_wtime()
declare i32 @omp_get_max_threads()
declare void @omp_set_num_threads(i32)
declare i32 @omp_get_team_size(i32)
declare i32 @omp_in_final()
declare i32 @omp_get_num_threads()
declare void @__kmpc_serialized_parallel(ptr, i32)
declare void @__kmpc_end_serialized_parallel(ptr, i32)
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
