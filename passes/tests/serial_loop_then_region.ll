; A serial loop is one region of thread 0, and one way around it for the others (A12, A14, A15, A21 to A23).
; REMARK: Transformed generic-mode kernel to SPMD-mode. [OMP120]
; TRIPLE: k 0 0 3
; CHECK: define ptx_kernel void @k
; CHECK: %tid = call i32 @__kmpc_get_hardware_thread_id_in_block()
; CHECK: %is.main = icmp eq i32 %tid, 0
; CHECK: region.check.tid:
; CHECK: br i1 %is.main, label %<*>, label %region.barrier
; CHECK: region.guarded.end:
; CHECK: br label %region.barrier
; CHECK: region.barrier:
; CHECK: call void @__kmpc_parallel_60
; CHECK: call void @__kmpc_target_deinit
; COUNT: 1 region.check.tid:
; NOT: call void @__kmpc_barrier_simple_spmd

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
  br label %loop
loop:
  %i = phi i32 [ 0, %user ], [ %next, %loop ]
  %at = getelementptr i32, ptr %a, i32 %i
  store i32 %i, ptr %at
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, 10
  br i1 %more, label %loop, label %done
done:
  store ptr %a, ptr %args
  call void @__kmpc_parallel_60(ptr @where, i32 %gtid, i32 1, i32 -1, i32 -1, ptr @region, ptr @region_wrapper, ptr %args, i64 1, i32 0)
  call void @__kmpc_target_deinit()
  ret void
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
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
