; A call that LLVM has marked `tail` touches no variable of its caller's stack. Once the variable is there the mark is wrong: LLVM reads what
; the stack held before.
; REMARK: Transformed generic-mode kernel to SPMD-mode. [OMP120]
; REMARK: Moving globalized variable to the stack. [OMP110]
; CHECK:   call void @llvm.memcpy.p0.p0.i64(
; NOT: tail call void @llvm.memcpy

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
  store ptr %a, ptr %args
  call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 -1, i32 -1, ptr @work, ptr @work_wrapper, ptr %args, i64 1, i32 0)
  call void @__kmpc_target_deinit()
  ret void
}
define internal void @work(ptr %gtid, ptr %btid, ptr %a) {
  %copy = call ptr @__kmpc_alloc_shared(i64 16)
  tail call void @llvm.memcpy.p0.p0.i64(ptr %copy, ptr %a, i64 16, i1 false)
  %sum = call i64 @sum(ptr %copy)
  store i64 %sum, ptr %a
  call void @__kmpc_free_shared(ptr %copy, i64 16)
  ret void
}
define internal i64 @sum(ptr %numbers) noinline {
  %first = load i64, ptr %numbers
  %next = getelementptr i64, ptr %numbers, i64 1
  %second = load i64, ptr %next
  %sum = add i64 %first, %second
  ret i64 %sum
}
define internal void @work_wrapper(i16 %level, i32 %thread) {
  %own = alloca i32
  %zero = alloca i32
  %shared = alloca ptr
  store i32 %thread, ptr %own
  store i32 0, ptr %zero
  call void @__kmpc_get_shared_variables(ptr %shared)
  %args = load ptr, ptr %shared
  %a = load ptr, ptr %args
  call void @work(ptr %own, ptr %zero, ptr %a)
  ret void
}
declare i32 @__kmpc_target_init(ptr, ptr)
declare void @__kmpc_target_deinit()
declare void @__kmpc_parallel_60(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64, i32)
declare ptr @__kmpc_alloc_shared(i64)
declare void @__kmpc_free_shared(ptr, i64)
declare void @__kmpc_get_shared_variables(ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
; InstCombine comes to no end here in one go, as in HeCBench's bn: that is no reason to give up.
define void @sunk(i32 %n, ptr %a) {
  %product = mul nsw i32 %n, 45
  %positive = icmp sgt i32 %n, 0
  br i1 %positive, label %then, label %end
then:
  store i32 %product, ptr %a
  br label %end
end:
  ret void
}

!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
