; What decides about a loop around regions, and no serial code of the loop writes, all threads read. The code behind the loop, which
; may write it, waits until they have. A value that serial code of the loop writes is told by thread 0.
; REMARK: Transformed generic-mode kernel to SPMD-mode. [OMP120]
; REMARK: Transformed generic-mode kernel to SPMD-mode. [OMP120]
; TRIPLE: k 0 0 3
; CHECK: define ptx_kernel void @k
; CHECK: head:
; CHECK-NEXT: %i = phi
; CHECK-NEXT: %steps = load i32, ptr %a
; CHECK-NEXT: %more = icmp slt i32 %i, %steps
; CHECK-NEXT: br i1 %more, label %body, label %<*>
; CHECK: call void @__kmpc_parallel_60
; CHECK: region.check.tid:
; CHECK-NEXT: call void @__kmpc_barrier_simple_spmd
; CHECK-NEXT: br i1 %is.main, label %out, label %region.barrier
; CHECK: define ptx_kernel void @told
; CHECK: %steps.guarded.output.load = load i32, ptr addrspace(3)
; CHECK: %more = icmp slt i32 %i, %steps.guarded.output.load

target triple = "nvptx64-nvidia-cuda"
%ident = type { i32, i32, i32, i32, ptr }
%config = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }
%environment = type { %config, ptr, ptr }
@where = private constant %ident zeroinitializer
@k_kernel_environment = constant %environment { %config { i8 1, i8 1, i8 1, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr @where, ptr null }
@told_kernel_environment = constant %environment { %config { i8 1, i8 1, i8 1, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr @where, ptr null }

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
  br label %head
head:
  %i = phi i32 [ 0, %user ], [ %next, %body ]
  %steps = load i32, ptr %a
  %more = icmp slt i32 %i, %steps
  br i1 %more, label %body, label %out
body:
  store ptr %a, ptr %args
  call void @__kmpc_parallel_60(ptr @where, i32 %gtid, i32 1, i32 -1, i32 -1, ptr @region, ptr @region_wrapper, ptr %args, i64 1, i32 0)
  %next = add i32 %i, 1
  br label %head
out:
  store i32 0, ptr %a
  call void @__kmpc_target_deinit()
  ret void
}

define ptx_kernel void @told(ptr %dyn, ptr %a) {
entry:
  %args = alloca [1 x ptr]
  %init = call i32 @__kmpc_target_init(ptr @told_kernel_environment, ptr %dyn)
  %is_user = icmp eq i32 %init, -1
  br i1 %is_user, label %user, label %leave
leave:
  ret void
user:
  %gtid = call i32 @__kmpc_global_thread_num(ptr @where)
  br label %head
head:
  %i = phi i32 [ 0, %user ], [ %next, %body ]
  %steps = load i32, ptr %a
  %more = icmp slt i32 %i, %steps
  br i1 %more, label %body, label %out
body:
  store ptr %a, ptr %args
  call void @__kmpc_parallel_60(ptr @where, i32 %gtid, i32 1, i32 -1, i32 -1, ptr @region, ptr @region_wrapper, ptr %args, i64 1, i32 0)
  store i32 3, ptr %a
  %next = add i32 %i, 1
  br label %head
out:
  call void @__kmpc_target_deinit()
  ret void
}

define internal void @region(ptr %gtid, ptr %btid, ptr %a) {
  %place = getelementptr i32, ptr %a, i64 1
  store i32 7, ptr %place
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
