; A program with `realloc`: everybody calls what stands in the place of the driver's `malloc` and `free`, and only that calls those. No name that is
; left means anything to a linker.
; RUN-ARGS: --passes=omptarget-end --whole-program
; NOT: __omptarget_wrap_
; NOT: __omptarget_real_
; CHECK: @kept = global ptr @__omptarget_free
; CHECK: define void @user(
; CHECK: call ptr @__omptarget_malloc(i64 %bytes)
; CHECK-NEXT: call void @__omptarget_free(ptr %p)
; CHECK: define hidden ptr @__omptarget_malloc(
; CHECK: call ptr @malloc(i64 %more)
; CHECK: define hidden void @__omptarget_free(
; CHECK: call void @free(ptr %p)
; COUNT: 1 call ptr @malloc(
; COUNT: 1 call void @free(

source_filename = "a.c"
target triple = "nvptx64-nvidia-cuda"

@kept = global ptr @free
@llvm.used = appending global [2 x ptr] [ptr @__omptarget_wrap_malloc, ptr @__omptarget_wrap_free], section "llvm.metadata"

define void @user(i64 %bytes) {
  %p = call ptr @malloc(i64 %bytes)
  call void @free(ptr %p)
  ret void
}

define hidden ptr @__omptarget_wrap_malloc(i64 %bytes) {
  %more = add i64 %bytes, 16
  %p = call ptr @__omptarget_real_malloc(i64 %more)
  %q = getelementptr i8, ptr %p, i64 16
  ret ptr %q
}

define hidden void @__omptarget_wrap_free(ptr %memory) {
  %p = getelementptr i8, ptr %memory, i64 -16
  call void @__omptarget_real_free(ptr %p)
  ret void
}

declare ptr @malloc(i64)
declare void @free(ptr)
declare ptr @__omptarget_real_malloc(i64)
declare void @__omptarget_real_free(ptr)
