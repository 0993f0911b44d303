; void walk(int *a) { if (a[0]-- > 0) walk(a); parallel }
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%config = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }
%environment = type { %config, ptr, ptr }

@k_kernel_environment = constant %environment { %config { i8 0, i8 0, i8 3, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr null, ptr null }
@value.guarded.output.alloc = internal addrspace(3) global i32 poison

define ptx_kernel void @k(ptr %dyn, ptr %a) {
entry:
  %init = call i32 @__kmpc_target_init(ptr @k_kernel_environment, ptr %dyn)
  %exec = icmp eq i32 %init, -1
  br i1 %exec, label %user_code.entry, label %worker.exit

worker.exit:
  ret void

user_code.entry:
  call void @walk.spmd(ptr %a)
  call void @__kmpc_target_deinit()
  ret void
}

define internal void @walk.spmd(ptr %a) {
entry:
  %arguments = alloca [1 x ptr]
  %tid = call i32 @__kmpc_get_hardware_thread_id_in_block()
  %is.main = icmp eq i32 %tid, 0
  br i1 %is.main, label %user_code.entry, label %region.barrier

user_code.entry:
  %value = load i32, ptr %a
  %less = sub i32 %value, 1
  store i32 %less, ptr %a
  br label %region.guarded.end

region.guarded.end:
  store i32 %value, ptr addrspace(3) @value.guarded.output.alloc
  br label %region.barrier

region.barrier:
  call void @__kmpc_barrier_simple_spmd(ptr null, i32 %tid)
  %value.guarded.output.load = load i32, ptr addrspace(3) @value.guarded.output.alloc
  call void @__kmpc_barrier_simple_spmd(ptr null, i32 %tid) ; second
  %more = icmp sgt i32 %value.guarded.output.load, 0
  br i1 %more, label %again, label %end

again:
  call void @walk.spmd(ptr %a)
  br label %end

end:
  %gtid = call i32 @__kmpc_global_thread_num(ptr null)
  store ptr %a, ptr %arguments
  call void @__kmpc_parallel_60(ptr null, i32 %gtid, i32 1, i32 -1, i32 -1, ptr @code, ptr null, ptr %arguments, i64 1, i32 0)
  ret void
}

define internal void @code(ptr %gtid, ptr %btid, ptr %a) {
  ret void
}

declare i32 @__kmpc_target_init(ptr, ptr)
declare void @__kmpc_target_deinit()
declare i32 @__kmpc_get_hardware_thread_id_in_block()
declare i32 @__kmpc_global_thread_num(ptr)
declare void @__kmpc_barrier_simple_spmd(ptr, i32)
declare void @__kmpc_parallel_60(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64, i32)
