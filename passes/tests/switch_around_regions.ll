; A switch around regions: all threads take the way that thread 0's value says, and serial code on it is guarded there.
; REMARK: Transformed generic-mode kernel to SPMD-mode. [OMP120]
; TRIPLE: k 0 0 3
; CHECK: store i32 %v, ptr addrspace(3) @v.guarded.output.alloc
; CHECK: switch i32 %v.guarded.output.load, label %done [
; CHECK: region.check.tid<*>:
; CHECK-NEXT: br i1 %is.main, label %one, label %region.barrier
; CHECK: one:
; CHECK-NEXT: store i32 5, ptr %a
; CHECK: call void @__kmpc_parallel_60(
; CHECK: two:
; CHECK-NEXT: call void @__kmpc_parallel_60(
; COUNT: 1 call void @__kmpc_barrier_simple_spmd

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
  store ptr %a, ptr %args
  %v = load i32, ptr %a
  switch i32 %v, label %done [
    i32 1, label %one
    i32 2, label %two
  ]
one:
  store i32 5, ptr %a
  call void @__kmpc_parallel_60(ptr @where, i32 %gtid, i32 1, i32 -1, i32 -1, ptr @region, ptr @region_wrapper, ptr %args, i64 1, i32 0)
  br label %done
two:
  call void @__kmpc_parallel_60(ptr @where, i32 %gtid, i32 1, i32 -1, i32 -1, ptr @region, ptr @region_wrapper, ptr %args, i64 1, i32 0)
  br label %done
done:
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
