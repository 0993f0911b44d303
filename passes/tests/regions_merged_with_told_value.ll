; A value that thread 0 tells the threads of the second region is told inside of the merged one: two barriers less.
; REMARK: Transformed generic-mode kernel to SPMD-mode. [OMP120]
; REMARK: Parallel region merged with parallel region at <UNKNOWN LOCATION>. [OMP150]
; COUNT: 1 call void @__kmpc_parallel_60
; NOT: call void @__kmpc_barrier_simple_spmd
; CHECK: define ptx_kernel void @k
; CHECK: call void @__kmpc_parallel_60(ptr @where, i32 %gtid, i32 1, i32 -1, i32 -1, ptr @region.merged, ptr null, ptr %merged_vars_addrs, i64 3, i32 0)
; CHECK: define internal void @region.merged(ptr %0, ptr %1, ptr %2, ptr %3, ptr %4)
; CHECK: store i32 %m, ptr addrspace(3) @m.guarded.output.alloc
; CHECK: serial.end:
; CHECK-NEXT: call void @__kmpc_barrier(ptr @where, i32 %gtid)
; CHECK-NEXT: %m.guarded.output.load = load i32, ptr addrspace(3) @m.guarded.output.alloc
; CHECK-NEXT: %wide = zext i32 %m.guarded.output.load to i64
; CHECK-NEXT: call void @other(ptr %0, ptr %1, ptr %4, i64 %wide)

target triple = "nvptx64-nvidia-cuda"
%ident = type { i32, i32, i32, i32, ptr }
%config = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }
%environment = type { %config, ptr, ptr }
@where = private constant %ident zeroinitializer
@k_kernel_environment = constant %environment { %config { i8 1, i8 1, i8 1, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr @where, ptr null }

define ptx_kernel void @k(ptr %dyn, ptr %a) {
entry:
  %args = alloca [1 x ptr]
  %more = alloca [2 x ptr]
  %init = call i32 @__kmpc_target_init(ptr @k_kernel_environment, ptr %dyn)
  %is_user = icmp eq i32 %init, -1
  br i1 %is_user, label %user, label %leave
leave:
  ret void
user:
  %gtid = call i32 @__kmpc_global_thread_num(ptr @where)
  store ptr %a, ptr %args
  call void @__kmpc_parallel_60(ptr @where, i32 %gtid, i32 1, i32 -1, i32 -1, ptr @region, ptr null, ptr %args, i64 1, i32 0)
  %m = load i32, ptr %a
  %wide = zext i32 %m to i64
  store ptr %a, ptr %more
  %second = getelementptr [2 x ptr], ptr %more, i64 0, i64 1
  store i64 %wide, ptr %second
  call void @__kmpc_parallel_60(ptr @where, i32 %gtid, i32 1, i32 -1, i32 -1, ptr @other, ptr null, ptr %more, i64 2, i32 0)
  call void @__kmpc_target_deinit()
  ret void
}

define internal void @other(ptr %gtid, ptr %btid, ptr %a, i64 %m) {
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

declare i32 @__kmpc_target_init(ptr, ptr)
declare void @__kmpc_target_deinit()
declare void @__kmpc_parallel_60(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64, i32)
declare i32 @__kmpc_global_thread_num(ptr)
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
