; RUN-ARGS: --passes=omptarget-begin
; A loop that chooses among elements of a variable by their addresses has one of them from a function that LLVM knows nothing of: the attributor would take
; its reads for reads of the first element. A loop that goes on from an element to the next is left alone, and so is a choice in no loop.
; CHECK: define i32 @chosen
; CHECK: %x = alloca [3 x i32]
; CHECK: <*> = call ptr @omptarget_address(ptr %x)
; CHECK: phi ptr [ <*>, %entry ], [ %s, %loop ]
; COUNT: 1 call ptr @omptarget_address

target triple = "nvptx64-nvidia-cuda"
define i32 @chosen(i32 %a, i32 %b) {
entry:
  %x = alloca [3 x i32]
  %p1 = getelementptr i8, ptr %x, i64 4
  store i32 %a, ptr %x
  store i32 %b, ptr %p1
  br label %loop
loop:
  %i = phi i64 [ 4, %entry ], [ %n, %loop ]
  %best = phi ptr [ %x, %entry ], [ %s, %loop ]
  %p = getelementptr i8, ptr %x, i64 %i
  %v = load i32, ptr %best
  %w = load i32, ptr %p
  %c = icmp slt i32 %v, %w
  %s = select i1 %c, ptr %p, ptr %best
  %n = add i64 %i, 4
  %e = icmp eq i64 %n, 12
  br i1 %e, label %done, label %loop
done:
  %r = load i32, ptr %s
  ret i32 %r
}
define i32 @walks(ptr %from, ptr %to) {
entry:
  br label %loop
loop:
  %at = phi ptr [ %from, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %more, %loop ]
  %v = load i32, ptr %at
  %more = add i32 %sum, %v
  %next = getelementptr i8, ptr %at, i64 4
  %e = icmp eq ptr %next, %to
  br i1 %e, label %done, label %loop
done:
  ret i32 %more
}
define i32 @once(i1 %c, ptr %p, ptr %q) {
  %s = select i1 %c, ptr %p, ptr %q
  %v = load i32, ptr %s
  ret i32 %v
}
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
