; Thread 0 runs a loop of teams alone that leads to nothing for all threads, its share of it included; of one with a region in it all
; threads ask for the share, and so they do where both loops have the same variables.
; CHECK: define ptx_kernel void @k(
; CHECK: br i1 %is.main, label %user, label %region.barrier
; CHECK: call void @__kmpc_distribute_static_init_4u(ptr @where, i32 0, i32 92, ptr %last, ptr %lower
; CHECK: store i32 %i, ptr %element
; CHECK: region.barrier:
; CHECK: call void @__kmpc_distribute_static_init_4u(ptr @where, i32 0, i32 92, ptr %last2, ptr %lower2
; CHECK: call void @__kmpc_parallel_60(
; CHECK: define ptx_kernel void @one_variable(
; CHECK: user:
; CHECK: call void @__kmpc_distribute_static_init_4u(ptr @where, i32 0, i32 92, ptr %last, ptr %lower
; CHECK: br i1 %is.main, label %region.guarded

target triple = "nvptx64-nvidia-cuda"
%ident = type { i32, i32, i32, i32, ptr }
%config = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }
%environment = type { %config, ptr, ptr }
@g = global i32 0
@where = private constant %ident zeroinitializer
@k_kernel_environment = constant %environment { %config { i8 1, i8 1, i8 1, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr @where, ptr null }
@one_variable_kernel_environment = constant %environment { %config { i8 1, i8 1, i8 1, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr @where, ptr null }

define ptx_kernel void @k(ptr %dyn, ptr %arg) {
entry:
  %last = alloca i32
  %lower = alloca i32
  %upper = alloca i32
  %stride = alloca i32
  %last2 = alloca i32
  %lower2 = alloca i32
  %upper2 = alloca i32
  %stride2 = alloca i32
  %init = call i32 @__kmpc_target_init(ptr @k_kernel_environment, ptr %dyn)
  %is_user = icmp eq i32 %init, -1
  br i1 %is_user, label %user, label %leave
leave:
  ret void
user:
  store i32 0, ptr %lower
  store i32 99, ptr %upper
  call void @__kmpc_distribute_static_init_4u(ptr @where, i32 0, i32 92, ptr %last, ptr %lower, ptr %upper, ptr %stride, i32 1, i32 1)
  %from = load i32, ptr %lower
  %to = load i32, ptr %upper
  br label %loop
loop:
  %i = phi i32 [ %from, %user ], [ %next, %body ]
  %more = icmp ule i32 %i, %to
  br i1 %more, label %body, label %behind
body:
  %element = getelementptr i32, ptr %arg, i32 %i
  store i32 %i, ptr %element
  %next = add i32 %i, 1
  br label %loop
behind:
  store i32 0, ptr %lower2
  store i32 9, ptr %upper2
  call void @__kmpc_distribute_static_init_4u(ptr @where, i32 0, i32 92, ptr %last2, ptr %lower2, ptr %upper2, ptr %stride2, i32 1, i32 1)
  %from2 = load i32, ptr %lower2
  %to2 = load i32, ptr %upper2
  br label %loop2
loop2:
  %j = phi i32 [ %from2, %behind ], [ %next2, %body2 ]
  %more2 = icmp ule i32 %j, %to2
  br i1 %more2, label %body2, label %end
body2:
  call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 -1, i32 -1, ptr @region, ptr null, ptr %arg, i64 0, i32 0)
  %next2 = add i32 %j, 1
  br label %loop2
end:
  call void @__kmpc_target_deinit()
  ret void
}

define ptx_kernel void @one_variable(ptr %dyn, ptr %arg) {
entry:
  %last = alloca i32
  %lower = alloca i32
  %upper = alloca i32
  %stride = alloca i32
  %init = call i32 @__kmpc_target_init(ptr @one_variable_kernel_environment, ptr %dyn)
  %is_user = icmp eq i32 %init, -1
  br i1 %is_user, label %user, label %leave
leave:
  ret void
user:
  store i32 0, ptr %lower
  store i32 99, ptr %upper
  call void @__kmpc_distribute_static_init_4u(ptr @where, i32 0, i32 92, ptr %last, ptr %lower, ptr %upper, ptr %stride, i32 1, i32 1)
  %from = load i32, ptr %lower
  store i32 %from, ptr %arg
  store i32 0, ptr %lower
  store i32 9, ptr %upper
  call void @__kmpc_distribute_static_init_4u(ptr @where, i32 0, i32 92, ptr %last, ptr %lower, ptr %upper, ptr %stride, i32 1, i32 1)
  %from2 = load i32, ptr %lower
  %some = icmp eq i32 %from2, 0
  br i1 %some, label %body, label %end
body:
  call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 -1, i32 -1, ptr @region, ptr null, ptr %arg, i64 0, i32 0)
  br label %end
end:
  call void @__kmpc_target_deinit()
  ret void
}

define internal void @region(ptr %gtid, ptr %btid) {
  store volatile i32 1, ptr @g
  ret void
}

declare i32 @__kmpc_target_init(ptr, ptr)
declare void @__kmpc_target_deinit()
declare void @__kmpc_distribute_static_init_4u(ptr, i32, i32, ptr, ptr, ptr, ptr, i32, i32)
declare void @__kmpc_parallel_60(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64, i32)

!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 52}
