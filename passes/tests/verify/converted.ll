; while (a[0] > 0) { a[0]--; parallel }
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%config = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }
%environment = type { %config, ptr, ptr }

@k_kernel_environment = constant %environment { %config { i8 0, i8 0, i8 3, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr null, ptr null }
@value.guarded.output.alloc = internal addrspace(3) global i32 poison

define ptx_kernel void @k(ptr %dyn, ptr %a) {
entry:
  %arguments = alloca [1 x ptr]
  %init = call i32 @__kmpc_target_init(ptr @k_kernel_environment, ptr %dyn)
  %tid = call i32 @__kmpc_get_hardware_thread_id_in_block()
  %is.main = icmp eq i32 %tid, 0
  %exec = icmp eq i32 %init, -1
  br i1 %exec, label %user_code.entry, label %worker.exit

worker.exit:
  ret void

user_code.entry:
  %gtid = call i32 @__kmpc_global_thread_num(ptr null)
  br label %region.check.tid

region.check.tid:
  br i1 %is.main, label %head, label %region.barrier

head:
  %value = load i32, ptr %a
  br label %region.guarded.end

region.guarded.end:
  store i32 %value, ptr addrspace(3) @value.guarded.output.alloc
  br label %region.barrier

region.barrier:
  call void @__kmpc_barrier_simple_spmd(ptr null, i32 %tid) ; first
  %value.guarded.output.load = load i32, ptr addrspace(3) @value.guarded.output.alloc
  br label %decide

decide:
  %own = load i32, ptr %arguments
  %more = icmp sgt i32 %value.guarded.output.load, 0
  br i1 %more, label %region.check.tid1, label %end

region.check.tid1:
  br i1 %is.main, label %body, label %region.barrier2

body:
  %before = load i32, ptr %a
  %less = sub i32 %before, 1
  store i32 %less, ptr %a
  br label %region.barrier2

region.barrier2:
  ; place for a call
  store ptr %a, ptr %arguments
  call void @__kmpc_parallel_60(ptr null, i32 %gtid, i32 1, i32 -1, i32 -1, ptr @code, ptr null, ptr %arguments, i64 1, i32 0)
  br label %region.check.tid

end:
  call void @__kmpc_target_deinit()
  ret void
}

define internal void @code(ptr %gtid, ptr %btid, ptr %a) {
  ret void
}

define internal void @helper(i32 %number) noinline {
  ret void
}

declare void @elsewhere()
declare i32 @__kmpc_target_init(ptr, ptr)
declare void @__kmpc_target_deinit()
declare i32 @__kmpc_get_hardware_thread_id_in_block()
declare i32 @__kmpc_global_thread_num(ptr)
declare void @__kmpc_barrier_simple_spmd(ptr, i32)
declare void @__kmpc_parallel_60(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64, i32)
