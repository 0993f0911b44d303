; Calls are marked `tail` as long as they touch no variable on the stack. openmp-opt may move memory of the runtime, or of the heap, there: then
; the marks would be wrong, in a function that allocates and in those that it may become part of. Others keep theirs.
; CHECK:   call void @fill(ptr %memory)
; CHECK:   call void @outside(ptr %a)
; CHECK:   tail call void @elsewhere()
; NOT: tail call void @fill
; NOT: tail call void @outside
; COUNT: 1 "disable-tail-calls"="true"

target triple = "nvptx64-nvidia-cuda"
define void @allocates(ptr %a) {
  %memory = call ptr @malloc(i64 24)
  tail call void @fill(ptr %memory)
  tail call void @free(ptr %memory)
  ret void
}
define void @calls_it(ptr %a) {
  tail call void @outside(ptr %a)
  tail call void @allocates(ptr %a)
  ret void
}
define void @others() {
  tail call void @elsewhere()
  ret void
}
declare ptr @malloc(i64)
declare void @free(ptr)
declare void @fill(ptr)
declare void @outside(ptr)
declare void @elsewhere()
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 50}
