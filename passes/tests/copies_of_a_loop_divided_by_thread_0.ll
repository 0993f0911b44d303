; As in copies_of_a_collapsed_loop.ll, but only thread 0 reads the divisor: it divides, and tells the others the results.
; REMARK: Transformed generic-mode kernel to SPMD-mode. [OMP120]
; REMARK: Replaced globalized variable with 4 bytes of shared memory. [OMP111]
; REMARK: Replaced globalized variable with 4 bytes of shared memory. [OMP111]
; REMARK: Replaced globalized variable with 4 bytes of shared memory. [OMP111]
; CHECK: br i1 %is.main
; CHECK: %row = sdiv i32 %i, %m.again
; CHECK: store i32 %row, ptr addrspacecast (ptr addrspace(3) @x_shared to ptr)
; COUNT: 2 br i1 %is.main

target triple = "nvptx64-nvidia-cuda"
%ident = type { i32, i32, i32, i32, ptr }
%config = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }
%environment = type { %config, ptr, ptr }
@where = private constant %ident zeroinitializer
@k_kernel_environment = constant %environment { %config { i8 1, i8 1, i8 1, i32 1, i32 128, i32 1, i32 1, i32 0, i32 0 }, ptr @where, ptr null }

define ptx_kernel void @k(ptr %dyn, ptr %a, i32 %n, i32 %m) {
entry:
  %args = alloca [4 x ptr]
  %init = call i32 @__kmpc_target_init(ptr @k_kernel_environment, ptr %dyn)
  %is_user = icmp eq i32 %init, -1
  br i1 %is_user, label %user, label %leave
leave:
  ret void
user:
  %gtid = call i32 @__kmpc_global_thread_num(ptr @where)
  %x = call align 16 ptr @__kmpc_alloc_shared(i64 4)
  %y = call align 16 ptr @__kmpc_alloc_shared(i64 4)
  %width = call align 16 ptr @__kmpc_alloc_shared(i64 4)
  %told = load i32, ptr %a
  store i32 %told, ptr %width
  br label %loop
loop:
  %i = phi i32 [ 0, %user ], [ %next, %again ]
  %m.again = load i32, ptr %width
  %row = sdiv i32 %i, %m.again
  store i32 %row, ptr %x
  %column = srem i32 %i, %m.again
  store i32 %column, ptr %y
  store ptr %a, ptr %args
  %args.1 = getelementptr [4 x ptr], ptr %args, i64 0, i64 1
  store ptr %x, ptr %args.1
  %args.2 = getelementptr [4 x ptr], ptr %args, i64 0, i64 2
  store ptr %y, ptr %args.2
  %args.3 = getelementptr [4 x ptr], ptr %args, i64 0, i64 3
  store ptr %width, ptr %args.3
  call void @__kmpc_parallel_60(ptr @where, i32 %gtid, i32 1, i32 -1, i32 -1, ptr @region, ptr null, ptr %args, i64 4, i32 0)
  br label %again
again:
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %out
out:
  call void @__kmpc_free_shared(ptr %width, i64 4)
  call void @__kmpc_free_shared(ptr %y, i64 4)
  call void @__kmpc_free_shared(ptr %x, i64 4)
  call void @__kmpc_target_deinit()
  ret void
}

define internal void @region(ptr %number, ptr %bound, ptr %a, ptr %x, ptr %y, ptr %width) {
  %v = load i32, ptr %x
  %w = load i32, ptr %y
  %m = load i32, ptr %width
  %vm = mul i32 %v, %m
  %vw = add i32 %vm, %w
  store i32 %vw, ptr %a
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
