; Code of the host: left as it is, and said.
; NO-REMARK
; UNCHANGED
; STDERR: is no OpenMP device code for NVIDIA (module flag openmp-device, target nvptx64): its kernels are left as they are

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
  store i32 1, ptr %a
  call void @__kmpc_target_deinit()
  ret void
}

declare i32 @__kmpc_target_init(ptr, ptr)
declare void @__kmpc_target_deinit()
declare void @__kmpc_parallel_60(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64, i32)
declare i32 @__kmpc_global_thread_num(ptr)
