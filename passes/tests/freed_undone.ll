; Behind LLVM's passes all calls are those of `free` again, also where it was not sure what they free.
; RUN-ARGS: --passes=omptarget-begin,omptarget-end
; COUNT: 2 call void @free(
; NOT: omptarget_free

target triple = "nvptx64-nvidia-cuda"
define void @known() {
  %memory = call ptr @malloc(i64 24)
  call void @free(ptr %memory)
  ret void
}
define void @of_memory(ptr %list) {
  %one = load ptr, ptr %list
  call void @free(ptr %one)
  ret void
}
declare ptr @malloc(i64)
declare void @free(ptr)
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 50}
