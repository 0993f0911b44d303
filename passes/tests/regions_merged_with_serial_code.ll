; Serial code between two regions goes with them into one: thread 0 runs it between two barriers. What it uses comes as
; arguments, values of less than 8 bytes in words of their own.
; REMARK: Transformed generic-mode kernel to SPMD-mode. [OMP120]
; REMARK: Parallel region merged with parallel region at <UNKNOWN LOCATION>. [OMP150]
; COUNT: 1 call void @__kmpc_parallel_60
; COUNT: 2 call void @__kmpc_barrier(ptr @where
; NOT: call void @__kmpc_barrier_simple_spmd
; CHECK: define ptx_kernel void @k
; CHECK: %kept = load i16, ptr %a
; CHECK: %kept.main = phi i16
; CHECK: store i16 %kept.main, ptr
; CHECK: call void @__kmpc_parallel_60(ptr @where, i32 %gtid, i32 1, i32 -1, i32 -1, ptr @region.merged, ptr null, ptr %merged_vars_addrs, i64 4, i32 0)
; CHECK: define internal void @region.merged(ptr %0, ptr %1, ptr %2, ptr %3, i64 %4, ptr %5)
; CHECK: call void @region(ptr %0, ptr %1, ptr %2)
; CHECK-NEXT: %gtid = load i32, ptr %0
; CHECK-NEXT: call void @__kmpc_barrier(ptr @where, i32 %gtid)
; CHECK-NEXT: %tid = call i32 @__kmpc_get_hardware_thread_id_in_block()
; CHECK-NEXT: %is.main = icmp eq i32 %tid, 0
; CHECK-NEXT: br i1 %is.main, label %serial.inputs, label %serial.end
; CHECK: serial.inputs:
; CHECK: load i16, ptr %word
; CHECK: loop:
; CHECK: call void @twice(ptr %3)
; CHECK: serial.end:
; CHECK-NEXT: call void @__kmpc_barrier(ptr @where, i32 %gtid)
; CHECK-NEXT: call void @other(ptr %0, ptr %1, ptr %5)

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
  %kept = load i16, ptr %a
  store ptr %a, ptr %args
  call void @__kmpc_parallel_60(ptr @where, i32 %gtid, i32 1, i32 -1, i32 -1, ptr @region, ptr null, ptr %args, i64 1, i32 0)
  br label %loop
loop:
  %i = phi i16 [ 0, %user ], [ %next, %loop ]
  call void @twice(ptr %a)
  %next = add i16 %i, 1
  %again = icmp slt i16 %next, %kept
  br i1 %again, label %loop, label %done
done:
  store ptr %a, ptr %more
  call void @__kmpc_parallel_60(ptr @where, i32 %gtid, i32 1, i32 -1, i32 -1, ptr @other, ptr null, ptr %more, i64 1, i32 0)
  call void @__kmpc_target_deinit()
  ret void
}

define internal void @twice(ptr %a) noinline {
  %old = load i32, ptr %a
  %new = shl i32 %old, 1
  store i32 %new, ptr %a
  ret void
}
define internal void @other(ptr %gtid, ptr %btid, ptr %a) {
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
