; The runtime, where it is linked, calls regions through pointers. Functions of the pointer's type are not all that there are:
; the parameters of others may be numbers.
; RUN-ARGS: --whole-program
; REMARK: Transformed generic-mode kernel to SPMD-mode. [OMP120]
; CHECK: define void @__kmpc_parallel_60(
; CHECK: call void %code(ptr %where, ptr %args, ptr %argument)
; NOT: call.of

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
  br label %loop
loop:
  %i = phi i32 [ 0, %user ], [ %next, %loop ]
  store i32 %i, ptr %a
  call void @__kmpc_parallel_60(ptr @where, i32 %gtid, i32 1, i32 -1, i32 -1, ptr @region, ptr @region_wrapper, ptr %args, i64 1, i32 0)
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, 9
  br i1 %more, label %loop, label %done
done:
  call void @__kmpc_parallel_60(ptr @where, i32 %gtid, i32 1, i32 -1, i32 -1, ptr @region_with_number, ptr @region_wrapper, ptr %args, i64 1, i32 0)
  call void @__kmpc_target_deinit()
  ret void
}

define internal void @region(ptr %gtid, ptr %btid, ptr %a) {
  call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 -1, i32 -1, ptr @region_with_number, ptr @region_wrapper, ptr %a, i64 1, i32 0)
  ret void
}
define internal void @region_wrapper(i16 %level, i32 %thread) {
  ret void
}

declare i32 @__kmpc_target_init(ptr, ptr)
declare void @__kmpc_target_deinit()
define void @__kmpc_parallel_60(ptr %where, i32 %gtid, i32 %if, i32 %threads, i32 %bind, ptr %code, ptr %wrapper, ptr %args, i64 %count, i32 %strict) noinline {
  %argument = load ptr, ptr %args
  call void %code(ptr %where, ptr %args, ptr %argument)
  ret void
}
define internal void @region_with_number(ptr %gtid, ptr %btid, i64 %n) {
  store i64 %n, ptr @numbers
  ret void
}
@numbers = global i64 0
declare i32 @__kmpc_global_thread_num(ptr)
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
