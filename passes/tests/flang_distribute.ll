; The distribute loop of a generic kernel whose body starts a region is written out, so that openmp-opt sees the region; the one
; without a region stays with the runtime, and so does the one with a chunk.
; RUN-ARGS: --openmp-opt-disable-spmdization
; CHECK: define ptx_kernel void @k(
; CHECK: br i1 %loop.some, label %loop.start, label %loop.end
; CHECK: loop.start:
; CHECK: %loop.most = sub i32 %n, 1
; CHECK: call void @__kmpc_distribute_static_init_4u(ptr @where, i32 %<*>, i32 92, ptr %loop.last, ptr %loop.lower, ptr %loop.upper, ptr %loop.stride, i32 1, i32 1)
; CHECK: loop.body:
; CHECK: call void @with_region(i32 %loop.index, ptr %arg)
; CHECK: %loop.is_last = icmp eq i32 %loop.index, %loop.to
; CHECK: call void @__kmpc_distribute_static_fini(
; CHECK: call void @__kmpc_distribute_static_loop_4u(ptr @where, ptr @plain, ptr %arg, i32 %n, i32 0, i8 2)
; CHECK: call void @__kmpc_distribute_static_loop_4u(ptr @where, ptr @with_region, ptr %arg, i32 %n, i32 4, i8 0)

source_filename = "FIRModule"
target triple = "nvptx64-nvidia-cuda"
%ident = type { i32, i32, i32, i32, ptr }
%config = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }
%environment = type { %config, ptr, ptr }
@g = global i32 0
@where = private constant %ident zeroinitializer
@k_kernel_environment = constant %environment { %config { i8 1, i8 1, i8 1, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr @where, ptr null }

define ptx_kernel void @k(ptr %dyn, ptr %arg, i32 %n) {
entry:
  %init = call i32 @__kmpc_target_init(ptr @k_kernel_environment, ptr %dyn)
  %is_user = icmp eq i32 %init, -1
  br i1 %is_user, label %user, label %leave
leave:
  ret void
user:
  call void @__kmpc_distribute_static_loop_4u(ptr @where, ptr @with_region, ptr %arg, i32 %n, i32 0, i8 0)
  call void @__kmpc_distribute_static_loop_4u(ptr @where, ptr @plain, ptr %arg, i32 %n, i32 0, i8 0)
  call void @__kmpc_distribute_static_loop_4u(ptr @where, ptr @with_region, ptr %arg, i32 %n, i32 4, i8 0)
  call void @__kmpc_target_deinit()
  ret void
}

define internal void @with_region(i32 %i, ptr %arg) {
  call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 -1, i32 -1, ptr @region, ptr null, ptr %arg, i64 0, i32 0)
  ret void
}

define internal void @plain(i32 %i, ptr %arg) {
  store i32 %i, ptr %arg
  ret void
}

define internal void @region(ptr %gtid, ptr %btid) {
  store volatile i32 1, ptr @g
  ret void
}

declare i32 @__kmpc_target_init(ptr, ptr)
declare void @__kmpc_target_deinit()
declare void @__kmpc_distribute_static_loop_4u(ptr, ptr, ptr, i32, i32, i8)
declare void @__kmpc_parallel_60(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64, i32)

!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 52}
