; RUN-ARGS: --passes=omptarget-begin
; An address that makes a parameter one of several places in a variable goes through a function that LLVM's passes know nothing of: directly, through
; another function's parameter, and where a function calls itself. Parameters with one place each are left alone.
; CHECK: define void @two
; CHECK: call void @read(ptr %e)
; CHECK-NEXT: <*> = call ptr @omptarget_address(ptr %b)
; CHECK-NEXT: call void @read(ptr <*>)
; CHECK: define internal void @again(ptr %p)
; CHECK: <*> = call ptr @omptarget_address(ptr %q)
; CHECK-NEXT: call void @again(ptr <*>)
; CHECK: define internal void @second
; CHECK: call ptr @omptarget_address(
; COUNT: 3 call ptr @omptarget_address(

target triple = "nvptx64-nvidia-cuda"
define void @two() {
  %e = alloca [48 x i8]
  %b = getelementptr i8, ptr %e, i64 24
  call void @read(ptr %e)
  call void @read(ptr %b)
  call void @again(ptr %e)
  call void @first(ptr %e)
  call void @second(ptr %e)
  ret void
}
define void @one(ptr %to) {
  %e = alloca i64
  %f = alloca i64
  call void @alone(ptr %e, ptr %to)
  call void @alone(ptr %f, ptr %to)
  ret void
}
define internal void @read(ptr %p) {
  store i32 1, ptr %p
  ret void
}
define internal void @alone(ptr %p, ptr %q) {
  store ptr %p, ptr %q
  ret void
}
define internal void @again(ptr %p) {
  %q = getelementptr i8, ptr %p, i64 4
  call void @again(ptr %q)
  ret void
}
define internal void @first(ptr %p) {
  call void @inner(ptr %p)
  ret void
}
define internal void @second(ptr %p) {
  %q = getelementptr i8, ptr %p, i64 8
  call void @inner(ptr %q)
  ret void
}
define internal void @inner(ptr %p) {
  store i32 1, ptr %p
  ret void
}
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
