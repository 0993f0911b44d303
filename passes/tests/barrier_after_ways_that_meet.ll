; A barrier is not needed where all ways lead from another one, or to one; it stays where one way does not, and in a loop with effects.
; REMARK: Transformed generic-mode kernel to SPMD-mode. [OMP120]
; REMARK: Redundant barrier eliminated. [OMP190]
; REMARK: Redundant barrier eliminated. [OMP190]
; COUNT: 5 call void @__kmpc_barrier
; CHECK: define internal void @both
; CHECK: join:
; CHECK-NEXT: load volatile
; CHECK: define internal void @one
; CHECK: join:
; CHECK-NEXT: call void @__kmpc_barrier

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
  call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 -1, i32 -1, ptr @both, ptr null, ptr %args, i64 1, i32 0)
  call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 2, i32 -1, ptr @one, ptr null, ptr %args, i64 1, i32 0)
  call void @__kmpc_target_deinit()
  ret void
}
define internal void @both(ptr %gtid, ptr %btid, ptr %a) {
  %number = load i32, ptr %gtid
  %v = load i32, ptr %a
  %which = icmp eq i32 %v, 0
  br i1 %which, label %left, label %right
left:
  store i32 1, ptr %a
  call void @__kmpc_barrier(ptr @where, i32 %number)
  br label %join
right:
  store i32 2, ptr %a
  call void @__kmpc_barrier(ptr @where, i32 %number)
  br label %join
join:
  call void @__kmpc_barrier(ptr @where, i32 %number)
  %w = load volatile i32, ptr %a
  br label %head
head:
  %i = phi i32 [ 0, %join ], [ %next, %head ]
  %next = add i32 %i, 1
  call void @__kmpc_barrier(ptr @where, i32 %number)
  store volatile i32 %next, ptr %a
  %more = icmp slt i32 %i, 9
  br i1 %more, label %head, label %done
done:
  ret void
}
define internal void @one(ptr %gtid, ptr %btid, ptr %a) {
  %number = load i32, ptr %gtid
  %v = load i32, ptr %a
  %which = icmp eq i32 %v, 0
  br i1 %which, label %left, label %right
left:
  store i32 1, ptr %a
  call void @__kmpc_barrier(ptr @where, i32 %number)
  br label %join
right:
  store i32 2, ptr %a
  br label %join
join:
  call void @__kmpc_barrier(ptr @where, i32 %number)
  %w = load volatile i32, ptr %a
  br label %head
head:
  %i = phi i32 [ 0, %join ], [ %next, %head ]
  %next = add i32 %i, 1
  call void @__kmpc_barrier(ptr @where, i32 %number)
  store volatile i32 %next, ptr %a
  %more = icmp slt i32 %i, 9
  br i1 %more, label %head, label %done
done:
  ret void
}
declare i32 @__kmpc_target_init(ptr, ptr)
declare void @__kmpc_target_deinit()
declare void @__kmpc_parallel_60(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64, i32)
declare void @__kmpc_barrier(ptr, i32)
declare void @__kmpc_for_static_fini(ptr, i32)
declare i32 @__kmpc_single(ptr, i32)
declare void @__kmpc_end_single(ptr, i32)
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
