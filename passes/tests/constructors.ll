; A constructor that comes to a function of the runtime that knows the team is called by a kernel of one thread, once for all runs of the
; passes; one that asks for the time, and one that only stores, are not.
; CHECK: @llvm.global_ctors = appending global [3 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 101, ptr @uses_a_cpp_openmp_
; CHECK: @llvm.global_dtors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 101, ptr @unknown_openmp_
; CHECK: { i8 0, i8 0, i8 2, i32 1, i32 1, i32 1, i32 1, i32 0, i32 0 }
; CHECK: define protected void @uses_a_cpp_openmp_
; CHECK: call i32 @__kmpc_target_init(ptr @uses_a_cpp_openmp_
; CHECK: call void @uses.a.cpp()
; CHECK: call void @__kmpc_target_deinit()
; NOT: @asks_time_openmp
; NOT: @stores_openmp

target triple = "nvptx64-nvidia-cuda"
@value = global i32 0
@llvm.global_ctors = appending global [3 x { i32, ptr, ptr }] [
  { i32, ptr, ptr } { i32 101, ptr @uses.a.cpp, ptr null },
  { i32, ptr, ptr } { i32 102, ptr @asks_time, ptr null },
  { i32, ptr, ptr } { i32 103, ptr @stores, ptr @value }]
@llvm.global_dtors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 101, ptr @unknown, ptr null }]

define internal void @uses.a.cpp() {
  call void @inner()
  ret void
}
define internal void @inner() noinline {
  %thread = call i32 @omp_get_thread_num()
  store i32 %thread, ptr @value
  ret void
}
define internal void @asks_time() {
  %time = call double @omp_get_wtime()
  %whole = fptosi double %time to i32
  store i32 %whole, ptr @value
  ret void
}
define internal void @stores() {
  store i32 5, ptr @value
  ret void
}
define internal void @unknown() {
  call void @of_another_file()
  ret void
}

declare i32 @omp_get_thread_num()
declare double @omp_get_wtime()
declare void @of_another_file()

!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
