; A pointer that may be one of several is freed. openmp-opt would move what `malloc` gives here to the stack, and drop the `free` that also frees
; the other: while LLVM's passes run such a call is one of a function that they know nothing of. Where it is sure what is freed, all stays.
; RUN-ARGS: --passes=omptarget-begin
; CHECK: @known
; CHECK: call void @free(ptr %memory)
; CHECK: @merged
; CHECK: call void @omptarget_free(ptr %one)
; CHECK: @chosen
; CHECK: call void @omptarget_free(ptr %one)
; CHECK: @of_memory
; CHECK: call void @omptarget_free(ptr %one)
; CHECK: @given
; CHECK: call void @omptarget_free(ptr %other)

target triple = "nvptx64-nvidia-cuda"
define void @known() {
  %memory = call ptr @malloc(i64 24)
  call void @free(ptr %memory)
  ret void
}
define void @merged(i1 %c, ptr %other) {
  %memory = call ptr @malloc(i64 24)
  br i1 %c, label %there, label %end
there:
  br label %end
end:
  %one = phi ptr [ %memory, %0 ], [ %other, %there ]
  call void @free(ptr %one)
  ret void
}
define void @chosen(i1 %c, ptr %other) {
  %memory = call ptr @malloc(i64 24)
  %one = select i1 %c, ptr %memory, ptr %other
  call void @free(ptr %one)
  ret void
}
define void @of_memory(ptr %list) {
  %one = load ptr, ptr %list
  call void @free(ptr %one)
  ret void
}
define void @given(ptr %other) {
  call void @free(ptr %other)
  ret void
}
declare ptr @malloc(i64)
declare void @free(ptr)
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 50}
