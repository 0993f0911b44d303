; A chunk of two iterations: both loops stay.
; NO-REMARK
; CHECK: br i1 %inside, label %body, label %moves
; CHECK: store i32 %upper.next, ptr %upper

target triple = "nvptx64-nvidia-cuda"
%ident = type { i32, i32, i32, i32, ptr }
%config = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }
%environment = type { %config, ptr, ptr }
@where = private constant %ident zeroinitializer
@k_kernel_environment = constant %environment { %config { i8 0, i8 1, i8 2, i32 1, i32 128, i32 1, i32 1, i32 0, i32 0 }, ptr @where, ptr null }

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
  call void @__kmpc_parallel_60(ptr @where, i32 %gtid, i32 1, i32 -1, i32 -1, ptr @region, ptr null, ptr %args, i64 1, i32 0)
  call void @__kmpc_target_deinit()
  ret void
}

define internal void @region(ptr noalias %number, ptr noalias %bound, ptr %a) {
entry:
  %last = alloca i32
  %lower = alloca i32
  %upper = alloca i32
  %stride = alloca i32
  store i32 0, ptr %last
  store i32 0, ptr %lower
  store i32 999, ptr %upper
  store i32 1, ptr %stride
  %gtid = load i32, ptr %number
  call void @__kmpc_for_static_init_4(ptr @where, i32 %gtid, i32 33, ptr %last, ptr %lower, ptr %upper, ptr %stride, i32 1, i32 2)
  br label %chunks
chunks:
  %end = load i32, ptr %upper
  %is_behind = icmp sgt i32 %end, 999
  %limited = select i1 %is_behind, i32 999, i32 %end
  store i32 %limited, ptr %upper
  %first = load i32, ptr %lower
  %more = icmp sle i32 %first, %limited
  br i1 %more, label %iterations, label %out
iterations:
  %i = phi i32 [ %next, %body ], [ %first, %chunks ]
  %sum = phi i32 [ %sum.next, %body ], [ 0, %chunks ]
  %chunk.end = load i32, ptr %upper
  %inside = icmp sle i32 %i, %chunk.end
  br i1 %inside, label %body, label %moves
body:
  %slot = getelementptr inbounds i32, ptr %a, i32 %i
  store i32 %i, ptr %slot
  %sum.next = add i32 %sum, %i
  %next = add i32 %i, 1
  br label %iterations
moves:
  store i32 %sum, ptr %a
  %lower.now = load i32, ptr %lower
  %stride.now = load i32, ptr %stride
  %lower.next = add i32 %lower.now, %stride.now
  store i32 %lower.next, ptr %lower
  %upper.now = load i32, ptr %upper
  %upper.next = add i32 %upper.now, %stride.now
  store i32 %upper.next, ptr %upper
  br label %chunks
out:
  call void @__kmpc_for_static_fini(ptr @where, i32 %gtid)
  ret void
}

declare i32 @__kmpc_target_init(ptr, ptr)
declare void @__kmpc_target_deinit()
declare i32 @__kmpc_global_thread_num(ptr)
declare void @__kmpc_parallel_60(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64, i32)
declare void @__kmpc_for_static_init_4(ptr, i32, i32, ptr, ptr, ptr, ptr, i32, i32)
declare void @__kmpc_for_static_fini(ptr, i32)

!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
