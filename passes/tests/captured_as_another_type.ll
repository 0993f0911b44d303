; clang stores a captured number as a `long` and reads it as an `int`: the accesses as a `long` have no mark that says so. What is of the same size
; all the time keeps its marks.
; CHECK: store i64 %captured, ptr %variable
; CHECK: %seen = load i32, ptr %variable<*> !tbaa
; CHECK: store i32 %seen, ptr %casted<*> !tbaa
; CHECK: %handed = load i64, ptr %casted
; CHECK: store i32 1, ptr %own<*> !tbaa
; COUNT: 3 !tbaa !

target triple = "nvptx64-nvidia-cuda"
define i64 @region(i64 %captured, ptr %given) {
  %variable = alloca i64
  %casted = alloca i64
  %own = alloca i32
  store i64 %captured, ptr %variable, !tbaa !1
  %seen = load i32, ptr %variable, !tbaa !2
  store i32 %seen, ptr %casted, !tbaa !2
  %handed = load i64, ptr %casted, !tbaa !1
  store i32 1, ptr %own, !tbaa !2
  call void @use(ptr %variable, ptr %casted, ptr %own)
  ret i64 %handed
}
declare void @use(ptr, ptr, ptr)
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 50}
!1 = !{!3, !3, i64 0}
!2 = !{!4, !4, i64 0}
!3 = !{!"long", !5}
!4 = !{!"int", !5}
!5 = !{!"omnipotent char", !6}
!6 = !{!"Simple C++ TBAA"}
