; As clang compares numbers without a sign, and the chunks of a team.
; REMARK: The loop over a thread's chunks and the loop over a chunk's one iteration are one. [OMPR102]
; CHECK: %is_chunk = icmp ule i64 %first, %limited
; CHECK: br i1 %is_first, label %body, label %moves
; CHECK: store i64 %lower.next, ptr %upper

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
  %lower = alloca i64
  %upper = alloca i64
  %stride = alloca i64
  store i32 0, ptr %last
  store i64 0, ptr %lower
  store i64 999, ptr %upper
  store i64 1, ptr %stride
  %gtid = load i32, ptr %number
  call void @__kmpc_distribute_static_init_8u(ptr @where, i32 %gtid, i32 91, ptr %last, ptr %lower, ptr %upper, ptr %stride, i64 1, i64 1)
  br label %chunks
chunks:
  %end = load i64, ptr %upper
  %is_behind = icmp ugt i64 %end, 999
  %limited = select i1 %is_behind, i64 999, i64 %end
  store i64 %limited, ptr %upper
  %first = load i64, ptr %lower
  %limited.behind = add i64 %limited, 1
  %more = icmp ult i64 %first, %limited.behind
  br i1 %more, label %iterations, label %out
iterations:
  %i = phi i64 [ %next, %body ], [ %first, %chunks ]
  %sum = phi i64 [ %sum.next, %body ], [ 0, %chunks ]
  %chunk.end = load i64, ptr %upper
  %chunk.behind = add i64 %chunk.end, 1
  %inside = icmp ult i64 %i, %chunk.behind
  br i1 %inside, label %body, label %moves
body:
  %slot = getelementptr inbounds i64, ptr %a, i64 %i
  store i64 %i, ptr %slot
  %sum.next = add i64 %sum, %i
  %next = add i64 %i, 1
  br label %iterations
moves:
  store i64 %sum, ptr %a
  %lower.now = load i64, ptr %lower
  %stride.now = load i64, ptr %stride
  %lower.next = add i64 %lower.now, %stride.now
  store i64 %lower.next, ptr %lower
  %upper.now = load i64, ptr %upper
  %upper.next = add i64 %upper.now, %stride.now
  store i64 %upper.next, ptr %upper
  br label %chunks
out:
  call void @__kmpc_distribute_static_fini(ptr @where, i32 %gtid)
  ret void
}

declare i32 @__kmpc_target_init(ptr, ptr)
declare void @__kmpc_target_deinit()
declare i32 @__kmpc_global_thread_num(ptr)
declare void @__kmpc_parallel_60(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64, i32)
declare void @__kmpc_distribute_static_init_8u(ptr, i32, i32, ptr, ptr, ptr, ptr, i64, i64)
declare void @__kmpc_distribute_static_fini(ptr, i32)

!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
