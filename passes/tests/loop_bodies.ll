; Loops whose body is a function are told that it holds no parallel region, where that is known.
; CHECK: define void @f
; CHECK: call void @__kmpc_for_static_loop_4u(ptr @where, ptr @plain, ptr %arg, i32 8, i32 4, i32 0, i8 2)
; CHECK: call void @__kmpc_distribute_for_static_loop_4u(ptr @where, ptr @plain, ptr %arg, i32 8, i32 4, i32 0, i32 0, i8 3)
; CHECK: call void @__kmpc_distribute_static_loop_4u(ptr @where, ptr @with_region, ptr %arg, i32 8, i32 0, i8 0)
; CHECK: call void @__kmpc_distribute_static_loop_4u(ptr @where, ptr @with_task, ptr %arg, i32 8, i32 0, i8 0)
; CHECK: call void @__kmpc_distribute_static_loop_4u(ptr @where, ptr @unknown, ptr %arg, i32 8, i32 0, i8 0)
; CHECK: call void @__kmpc_distribute_static_loop_4u(ptr @where, ptr %body, ptr %arg, i32 8, i32 0, i8 0)
; CHECK: call void @__kmpc_distribute_static_loop_4u(ptr @where, ptr @plain, ptr %arg, i32 8, i32 0, i8 %once)
; CHECK: call void @__kmpc_for_static_loop_8u(ptr @where, ptr @plain, ptr %arg, i64 8, i64 4, i64 0)
; NO-REMARK

target triple = "nvptx64-nvidia-cuda"
%ident = type { i32, i32, i32, i32, ptr }
@where = private constant %ident zeroinitializer

define void @f(ptr %arg, ptr %body, i8 %once) {
  call void @__kmpc_for_static_loop_4u(ptr @where, ptr @plain, ptr %arg, i32 8, i32 4, i32 0, i8 0)
  call void @__kmpc_distribute_for_static_loop_4u(ptr @where, ptr @plain, ptr %arg, i32 8, i32 4, i32 0, i32 0, i8 1)
  call void @__kmpc_distribute_static_loop_4u(ptr @where, ptr @with_region, ptr %arg, i32 8, i32 0, i8 0)
  call void @__kmpc_distribute_static_loop_4u(ptr @where, ptr @with_task, ptr %arg, i32 8, i32 0, i8 0)
  call void @__kmpc_distribute_static_loop_4u(ptr @where, ptr @unknown, ptr %arg, i32 8, i32 0, i8 0)
  call void @__kmpc_distribute_static_loop_4u(ptr @where, ptr %body, ptr %arg, i32 8, i32 0, i8 0)
  call void @__kmpc_distribute_static_loop_4u(ptr @where, ptr @plain, ptr %arg, i32 8, i32 0, i8 %once)
  call void @__kmpc_for_static_loop_8u(ptr @where, ptr @plain, ptr %arg, i64 8, i64 4, i64 0)
  ret void
}

define internal void @plain(i32 %i, ptr %arg) {
  %n = call i32 @omp_get_thread_num()
  store i32 %n, ptr %arg
  ret void
}

define internal void @with_region(i32 %i, ptr %arg) {
  call void @helper(ptr %arg)
  ret void
}

define internal void @with_task(i32 %i, ptr %arg) {
  %done = call i32 @__kmpc_omp_task(ptr @where, i32 0, ptr %arg)
  ret void
}

define internal void @helper(ptr %arg) {
  call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 -1, i32 -1, ptr @region, ptr null, ptr %arg, i64 0, i32 0)
  ret void
}

define internal void @region(ptr %gtid, ptr %btid) {
  ret void
}

define internal void @unknown(i32 %i, ptr %arg) {
  call void @elsewhere()
  ret void
}

declare void @elsewhere()
declare i32 @__kmpc_omp_task(ptr, i32, ptr)
declare i32 @omp_get_thread_num()
declare void @__kmpc_parallel_60(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64, i32)
declare void @__kmpc_for_static_loop_4u(ptr, ptr, ptr, i32, i32, i32, i8)
declare void @__kmpc_for_static_loop_8u(ptr, ptr, ptr, i64, i64, i64)
declare void @__kmpc_distribute_static_loop_4u(ptr, ptr, ptr, i32, i32, i8)
declare void @__kmpc_distribute_for_static_loop_4u(ptr, ptr, ptr, i32, i32, i32, i32, i8)

!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
