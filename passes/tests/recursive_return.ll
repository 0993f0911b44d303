; What functions return that call themselves, also by way of others, passes through assembly: LLVM 22's openmp-opt would take a
; call in it for a parameter of the caller. Constants and other functions stay.
; CHECK: define internal ptr @itself(
; CHECK: call ptr asm "", "=l,0"(ptr %node)
; CHECK-NEXT: ret ptr %1
; CHECK: define internal i8 @one(
; CHECK: %other = call float @other(
; CHECK: zext i8 %given to i32
; CHECK: call i32 asm "", "=r,0"(
; CHECK-NEXT: trunc
; CHECK-NEXT: ret i8
; CHECK: define internal float @other(
; CHECK: call float asm "", "=f,0"(float %given)
; CHECK: define internal i32 @constant(
; CHECK: ret i32 7
; CHECK: define internal i32 @once(
; CHECK: ret i32 %given
; COUNT: 3 asm ""
; CHECK: attributes #<*> = { nounwind willreturn memory(none) }

target triple = "nvptx64-nvidia-cuda"
define internal ptr @itself(ptr %node, i1 %more) {
  br i1 %more, label %below, label %end
below:
  %next = load ptr, ptr %node
  %left = call ptr @itself(ptr %next, i1 false)
  store ptr %left, ptr %node
  br label %end
end:
  ret ptr %node
}
define internal i8 @one(i8 %given, i1 %more) {
  %other = call float @other(float 1.0, i1 %more)
  ret i8 %given
}
define internal float @other(float %given, i1 %more) {
  br i1 %more, label %below, label %end
below:
  %one = call i8 @one(i8 1, i1 false)
  br label %end
end:
  ret float %given
}
define internal i32 @constant(i32 %given) {
  %below = call i32 @constant(i32 3)
  ret i32 7
}
define internal i32 @once(i32 %given) {
  ret i32 %given
}
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
