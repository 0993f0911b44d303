; A thread has no vectors: the loop of a `simd` construct does not ask for them. What else is known of it stays, its ways back have it
; in common, and a loop that shall have no vectors keeps the word of that.
; CHECK: br i1 %odd, label %loop, label %more, !llvm.loop !2
; CHECK: br i1 %again, label %loop, label %other, !llvm.loop !2
; CHECK: br i1 %once, label %other, label %out, !llvm.loop !4
; CHECK: !2 = distinct !{!2, !3}
; CHECK: !3 = !{!"llvm.loop.parallel_accesses", !1}
; CHECK: !4 = distinct !{!4, !5}
; CHECK: !5 = !{!"llvm.loop.vectorize.enable", i1 false}
; NOT: i1 true
; NOT: llvm.loop.vectorize.width

target triple = "nvptx64-nvidia-cuda"

define void @sum(ptr %a, i32 %n) {
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %next, %loop ], [ %next, %more ]
  %at = getelementptr i32, ptr %a, i32 %i
  %value = load i32, ptr %at, !llvm.access.group !3
  %next = add i32 %i, 1
  %odd = trunc i32 %value to i1
  br i1 %odd, label %loop, label %more, !llvm.loop !1
more:
  store i32 %i, ptr %at, !llvm.access.group !3
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %other, !llvm.loop !1
other:
  %j = phi i32 [ 0, %more ], [ %then, %other ]
  store i32 %j, ptr %a
  %then = add i32 %j, 1
  %once = icmp slt i32 %then, %n
  br i1 %once, label %other, label %out, !llvm.loop !6
out:
  ret void
}
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
!1 = distinct !{!1, !2, !4, !5}
!2 = !{!"llvm.loop.parallel_accesses", !3}
!3 = distinct !{}
!4 = !{!"llvm.loop.vectorize.width", i32 8}
!5 = !{!"llvm.loop.vectorize.enable", i1 true}
!6 = distinct !{!6, !7}
!7 = !{!"llvm.loop.vectorize.enable", i1 false}
