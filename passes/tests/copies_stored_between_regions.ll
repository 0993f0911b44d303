; A store between two regions, of which the first must not see it: the variable is the team's.
; REMARK: Transformed generic-mode kernel to SPMD-mode. [OMP120]
; REMARK: Replaced globalized variable with 4 bytes of shared memory. [OMP111]
; REMARK: Parallel region merged with parallel region at <UNKNOWN LOCATION>. [OMP150]
; CHECK: @x_shared = internal addrspace(3) global

target triple = "nvptx64-nvidia-cuda"
%ident = type { i32, i32, i32, i32, ptr }
%config = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }
%environment = type { %config, ptr, ptr }
@where = private constant %ident zeroinitializer
@k_kernel_environment = constant %environment { %config { i8 1, i8 1, i8 1, i32 1, i32 128, i32 1, i32 1, i32 0, i32 0 }, ptr @where, ptr null }

define ptx_kernel void @k(ptr %dyn, ptr %a, i32 %n) {
entry:
  %args = alloca [2 x ptr]
  %init = call i32 @__kmpc_target_init(ptr @k_kernel_environment, ptr %dyn)
  %is_user = icmp eq i32 %init, -1
  br i1 %is_user, label %user, label %leave
leave:
  ret void
user:
  %gtid = call i32 @__kmpc_global_thread_num(ptr @where)
  %x = call align 16 ptr @__kmpc_alloc_shared(i64 4)
  br label %loop
loop:
  %i = phi i32 [ 0, %user ], [ %next, %again ]
  store i32 %i, ptr %x
  store ptr %a, ptr %args
  %args.1 = getelementptr [2 x ptr], ptr %args, i64 0, i64 1
  store ptr %x, ptr %args.1
  call void @__kmpc_parallel_60(ptr @where, i32 %gtid, i32 1, i32 -1, i32 -1, ptr @region, ptr null, ptr %args, i64 2, i32 0)
  store i32 7, ptr %x
  call void @__kmpc_parallel_60(ptr @where, i32 %gtid, i32 1, i32 -1, i32 -1, ptr @region2, ptr null, ptr %args, i64 2, i32 0)
  br label %again
again:
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %out
out:
  call void @__kmpc_free_shared(ptr %x, i64 4)
  call void @__kmpc_target_deinit()
  ret void
}

define internal void @region(ptr %number, ptr %bound, ptr %a, ptr %x) {
  %v = load i32, ptr %x
  store i32 %v, ptr %a
  ret void
}

define internal void @region2(ptr %number, ptr %bound, ptr %a, ptr %x) {
  %v = load i32, ptr %x
  store i32 %v, ptr %a
  ret void
}

declare i32 @__kmpc_target_init(ptr, ptr)
declare void @__kmpc_target_deinit()
declare i32 @__kmpc_global_thread_num(ptr)
declare ptr @__kmpc_alloc_shared(i64)
declare void @__kmpc_free_shared(ptr, i64)
declare void @__kmpc_parallel_60(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64, i32)

!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
