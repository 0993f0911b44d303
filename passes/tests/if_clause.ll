; A region whose `if` clause is false is run by the thread that starts it: thread 0 alone starts it then.
; REMARK: Transformed generic-mode kernel to SPMD-mode. [OMP120]
; CHECK: store i32 %v, ptr addrspace(3) @v.guarded.output.alloc
; CHECK: %parallel.if = icmp ne i32 %v.guarded.output.load, 0
; CHECK: br i1 %parallel.if, label %parallel.team, label %region.check.tid
; CHECK: parallel.team:
; CHECK-NEXT: call void @__kmpc_parallel_60(ptr @where, i32 %gtid, i32 1,
; CHECK: br i1 %is.main, label %parallel.serial, label %region.barrier
; CHECK: parallel.serial:
; CHECK-NEXT: call void @__kmpc_parallel_60(ptr @where, i32 %gtid, i32 0,

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
  call void @__kmpc_parallel_60(ptr @where, i32 %gtid, i32 %v, i32 -1, i32 -1, ptr @region, ptr @region_wrapper, ptr %args, i64 1, i32 0)
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
