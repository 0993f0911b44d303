; A loop of flang's with an ordered region in its body is written out, so that the runtime knows the turns; others stay with the
; runtime.
; CHECK: define void @f(
; CHECK: br i1 %loop.some, label %loop.start, label %loop.end
; CHECK: loop.start:
; CHECK: %loop.chunk = select i1 %loop.is_chosen, i64 1, i64 %chunk
; CHECK: call void @__kmpc_dispatch_init_8u(ptr @where, i32 %<*>, i32 65, i64 0, i64 %loop.most, i64 1, i64 %loop.chunk)
; CHECK: loop.share:
; CHECK: loop.body:
; CHECK: call void @ordered(i64 %loop.index, ptr %arg)
; CHECK-NEXT: call void @__kmpc_dispatch_fini_8u(ptr @where, i32 %<*>)
; CHECK: loop.done:
; CHECK: call i32 @__kmpc_dispatch_next_8u(ptr @where, i32 %<*>, ptr %loop.last, ptr %loop.lower, ptr %loop.upper, ptr %loop.stride)
; CHECK: br i1 %loop.more, label %loop.share, label %loop.end
; CHECK: loop.end:
; CHECK: call void @__kmpc_barrier(ptr @where, i32 %<*>)
; CHECK: call void @__kmpc_for_static_loop_8u(ptr @where, ptr @plain, ptr %arg, i64 %n, i64 4, i64 0, i8 2)
; NO-REMARK

source_filename = "FIRModule"
target triple = "nvptx64-nvidia-cuda"
%ident = type { i32, i32, i32, i32, ptr }
@where = private constant %ident zeroinitializer

define void @f(ptr %arg, i64 %n, i64 %chunk) {
  call void @__kmpc_for_static_loop_8u(ptr @where, ptr @ordered, ptr %arg, i64 %n, i64 4, i64 %chunk, i8 0)
  call void @__kmpc_for_static_loop_8u(ptr @where, ptr @plain, ptr %arg, i64 %n, i64 4, i64 0, i8 0)
  ret void
}

define internal void @ordered(i64 %i, ptr %arg) {
  call void @__kmpc_ordered(ptr @where, i32 0)
  store i64 %i, ptr %arg
  call void @__kmpc_end_ordered(ptr @where, i32 0)
  ret void
}

define internal void @plain(i64 %i, ptr %arg) {
  store i64 %i, ptr %arg
  ret void
}

declare void @__kmpc_for_static_loop_8u(ptr, ptr, ptr, i64, i64, i64, i8)
declare void @__kmpc_ordered(ptr, i32)
declare void @__kmpc_end_ordered(ptr, i32)

!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 52}
