; A program with a `malloc` of its own: nothing is replaced, and the linker of device code says what is wrong.
; RUN-ARGS: --passes=omptarget-end --whole-program
; UNCHANGED

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

define ptr @malloc(i64 %bytes) {
  ret ptr null
}
declare void @free(ptr)
declare ptr @__omptarget_real_malloc(i64)
declare void @__omptarget_real_free(ptr)
