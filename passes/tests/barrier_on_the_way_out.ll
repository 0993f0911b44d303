; The barrier on the way out of a cancelled region counts the thread as one that left: it stays.
; RUN-ARGS: -openmp-opt-disable-spmdization
; COUNT: 1 call void @__kmpc_barrier

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
  call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 -1, i32 -1, ptr @work, ptr @work_wrapper, ptr %args, i64 1, i32 0)
  call void @__kmpc_target_deinit()
  ret void
}
define internal void @work(ptr %gtid, ptr %btid, ptr %a) {
  %number = load i32, ptr %gtid
  store i32 7, ptr %a
  %cancelled = call i32 @__kmpc_cancellationpoint(ptr @where, i32 %number, i32 1)
  %is_cancelled = icmp ne i32 %cancelled, 0
  br i1 %is_cancelled, label %way_out, label %end
way_out:
  call void @__kmpc_barrier(ptr @where, i32 %number)
  br label %end
end:
  ret void
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
declare void @__kmpc_barrier(ptr, i32)
declare i32 @__kmpc_cancellationpoint(ptr, i32, i32)
declare void @__kmpc_get_shared_variables(ptr)
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
