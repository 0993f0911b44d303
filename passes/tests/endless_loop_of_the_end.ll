; A kernel that all threads leave in a loop without an end: refused.
; REMARK: Value has potential side effects preventing SPMD-mode execution. A parallel region stands in a loop that never ends. [OMP121]
; TRIPLE: k 1 1 1
; NOT: region.check.tid

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
  call void @__kmpc_parallel_60(ptr @where, i32 %gtid, i32 1, i32 -1, i32 -1, ptr @region, ptr @region_wrapper, ptr %args, i64 1, i32 0)
  %v = load i32, ptr %a
  %again = icmp eq i32 %v, 0
  br i1 %again, label %forever, label %fine
fine:
  ret void
forever:
  call void @__kmpc_target_deinit()
  br label %forever
}

define internal void @region(ptr %gtid.addr, ptr %btid, ptr %a) {
  call void @helper(ptr %a)
  ret void
}
define internal void @region_wrapper(i16 %level, i32 %thread) {
  ret void
}
define internal void @helper(ptr %a) noinline {
  store i32 1, ptr %a
  ret void
}

declare i32 @__kmpc_target_init(ptr, ptr)
declare void @__kmpc_target_deinit()
declare void @__kmpc_parallel_60(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64, i32)
declare i32 @__kmpc_global_thread_num(ptr)
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
