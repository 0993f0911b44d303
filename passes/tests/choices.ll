; RUN-ARGS: --passes=omptarget-begin
; A choice among addresses in a variable that were chosen before has one of them from a function that LLVM knows nothing of: the attributor would take
; reads behind it for reads of the first element. A loop that goes on from an element to the next is left alone, and so are a choice among what
; was not chosen, several choices of the same, of different variables, and what a kernel gets. Nothing is computed from null for the function.
; CHECK: define i32 @chosen
; CHECK: %x = alloca [3 x i32]
; CHECK: <*> = call ptr @omptarget_address(ptr %x)
; CHECK: phi ptr [ <*>, %entry ], [ %s, %loop ]
; CHECK: define i32 @goes_on
; CHECK: <*> = call ptr @omptarget_address(ptr %x)
; CHECK: phi ptr [ <*>, %entry ], [ %next, %rest ]
; CHECK: define i32 @branches
; CHECK: <*> = call ptr @omptarget_address(ptr %x)
; CHECK: phi ptr [ <*>, %entry ], [ %second, %more ]
; CHECK: define i32 @calls
; CHECK: <*> = call ptr @omptarget_address(ptr %x)
; CHECK: phi ptr [ <*>, %entry ], [ %n, %loop ]
; CHECK: define i32 @of_threads
; CHECK: <*> = addrspacecast ptr addrspace(5) %x to ptr
; CHECK-NEXT: <*> = call ptr @omptarget_address(ptr <*>)
; CHECK-NEXT: <*> = addrspacecast ptr <*> to ptr addrspace(5)
; CHECK: define i32 @list
; CHECK: %at = phi ptr [ %x, %entry ], [ %next, %rest ]
; CHECK: <*> = call ptr @omptarget_address(ptr %node)
; CHECK-NEXT: %further = getelementptr inbounds nuw i8, ptr <*>, i64 8
; COUNT: 6 call ptr @omptarget_address

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
define i32 @goes_on(ptr %x, i32 %max) {
entry:
  br label %loop
loop:
  %at = phi ptr [ %x, %entry ], [ %next, %rest ]
  %v = load i32, ptr %at
  switch i32 %v, label %done [
    i32 1, label %one
    i32 2, label %two
  ]
one:
  %behind = getelementptr i8, ptr %at, i64 4
  br label %rest
two:
  %further = getelementptr i8, ptr %at, i64 8
  br label %rest
rest:
  %next = phi ptr [ %behind, %one ], [ %further, %two ]
  br label %loop
done:
  ret i32 %v
}
define i32 @branches(i1 %c, i1 %d, ptr %x) {
entry:
  %second = getelementptr i8, ptr %x, i64 4
  br i1 %c, label %more, label %first
more:
  br label %first
first:
  %p = phi ptr [ %x, %entry ], [ %second, %more ]
  br i1 %d, label %last, label %again
again:
  br label %last
last:
  %q = phi ptr [ %p, %first ], [ %second, %again ]
  %v = load i32, ptr %q
  ret i32 %v
}
define i32 @several(i1 %c, i1 %d, ptr %x, ptr %y) {
entry:
  br i1 %c, label %more, label %first
more:
  br label %first
first:
  %p = phi ptr [ %x, %entry ], [ %y, %more ]
  br i1 %d, label %last, label %again
again:
  br label %last
last:
  %q = phi ptr [ %p, %first ], [ %y, %again ]
  %v = load i32, ptr %q
  ret i32 %v
}
define internal ptr @next(ptr %at) {
  %n = getelementptr i8, ptr %at, i64 4
  ret ptr %n
}
define i32 @calls(ptr %x, ptr %to) {
entry:
  br label %loop
loop:
  %at = phi ptr [ %x, %entry ], [ %n, %loop ]
  %n = call ptr @next(ptr %at)
  %e = icmp eq ptr %n, %to
  br i1 %e, label %done, label %loop
done:
  %v = load i32, ptr %at
  ret i32 %v
}
define i32 @of_threads(ptr addrspace(5) %x) {
entry:
  br label %loop
loop:
  %at = phi ptr addrspace(5) [ %x, %entry ], [ %s, %loop ]
  %n = getelementptr i8, ptr addrspace(5) %at, i64 4
  %v = load i32, ptr addrspace(5) %at
  %c = icmp slt i32 %v, 0
  %s = select i1 %c, ptr addrspace(5) %at, ptr addrspace(5) %n
  %e = icmp eq i32 %v, 0
  br i1 %e, label %done, label %loop
done:
  ret i32 %v
}
define i32 @list(ptr %x, i1 %c) {
entry:
  br label %loop
loop:
  %at = phi ptr [ %x, %entry ], [ %next, %rest ]
  %node = load ptr, ptr %at
  %further = getelementptr inbounds nuw i8, ptr %node, i64 8
  %second = getelementptr inbounds nuw i8, ptr %node, i64 16
  %end = icmp eq ptr %node, null
  br i1 %end, label %done, label %more
more:
  br i1 %c, label %rest, label %other
other:
  br label %rest
rest:
  %next = phi ptr [ %further, %more ], [ %second, %other ]
  br label %loop
done:
  ret i32 0
}
define ptx_kernel void @kernel(ptr %x, i1 %c) {
entry:
  br label %loop
loop:
  %at = phi ptr [ %x, %entry ], [ %s, %loop ]
  %n = getelementptr i8, ptr %at, i64 4
  %s = select i1 %c, ptr %at, ptr %n
  %v = load i32, ptr %s
  %e = icmp eq i32 %v, 0
  br i1 %e, label %done, label %loop
done:
  ret void
}
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
