; A region of one thread in the form of host code stands in the serial code itself. Regions in it are those of its thread, so all
; threads must not come to them: the kernel stays generic.
; REMARK: Value has potential side effects preventing SPMD-mode execution. The parallel region is started in an unknown way. [OMP121]
; CHECK: @k_kernel_environment = constant %environment { %config { i8 1, i8 1, i8 1,

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
  call void @__kmpc_serialized_parallel(ptr @where, i32 %gtid)
  store ptr %a, ptr %args
  call void @__kmpc_parallel_60(ptr @where, i32 %gtid, i32 1, i32 -1, i32 -1, ptr @body, ptr @wrapper, ptr %args, i64 1, i32 0)
  call void @__kmpc_end_serialized_parallel(ptr @where, i32 %gtid)
  call void @__kmpc_target_deinit()
  ret void
}

define internal void @body(ptr %gtid, ptr %btid, ptr %a) {
  store i32 1, ptr %a
  ret void
}
define internal void @wrapper(i16 %a, i32 %b) {
  ret void
}

declare i32 @__kmpc_target_init(ptr, ptr)
declare void @__kmpc_target_deinit()
declare i32 @__kmpc_global_thread_num(ptr)
declare void @__kmpc_serialized_parallel(ptr, i32)
declare void @__kmpc_end_serialized_parallel(ptr, i32)
declare void @__kmpc_parallel_60(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64, i32)
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
