; RUN-ARGS: --passes=omptarget-begin
; What steers a loop goes through a function that LLVM knows nothing of if it is read from a variable that the loop writes, or that a
; function of the program gets in it: the attributor would lose turns of the loop. A loop that writes nothing of the kind is left alone, and so are what a
; kernel gets, an element of which nobody knows which it is, a branch that is in no loop, and what only the runtime writes.
; So does the address that the function gets, also in a structure: the attributor asks whether that call can be reached without passing the read.
; CHECK: define void @nested
; CHECK: %less = icmp ult i32 %b1, 2
; CHECK-NEXT: <*> = call i1 @omptarget_decision.i1(i1 %less)
; CHECK-NEXT: br i1 <*>, label %more, label %rest
; CHECK: %odd = icmp ne i32 %a1, 0
; CHECK-NEXT: <*> = call i1 @omptarget_decision.i1(i1 %odd)
; CHECK: define void @state
; CHECK: <*> = call i32 @omptarget_decision.i32(i32 %s)
; CHECK-NEXT: switch i32 <*>
; CHECK: define void @called
; CHECK: <*> = call ptr @omptarget_address(ptr %x)
; CHECK-NEXT: call void @change(ptr <*>)
; CHECK: <*> = call i1 @omptarget_decision.i1(i1 %both)
; CHECK: define void @in_a_structure
; CHECK: <*> = call ptr @omptarget_address(ptr %x)
; CHECK-NEXT: store ptr <*>, ptr %s
; CHECK: call void @change_in(ptr %s)
; CHECK: define void @reads_alone
; CHECK: define ptx_kernel void @mapped
; COUNT: 2 = call ptr @omptarget_address
; COUNT: 4 = call i1 @omptarget_decision
; COUNT: 1 = call i32 @omptarget_decision

target triple = "nvptx64-nvidia-cuda"

define void @nested() {
entry:
  %a = alloca i32
  %b = alloca i32
  store i32 0, ptr %a
  br label %outer
outer:
  %a0 = load i32, ptr %a
  %an = add i32 %a0, 1
  store i32 %an, ptr %a
  store i32 0, ptr %b
  br label %inner
inner:
  %b0 = load i32, ptr %b
  %bn = add i32 %b0, 1
  store i32 %bn, ptr %b
  %b1 = load i32, ptr %b
  %less = icmp ult i32 %b1, 2
  br i1 %less, label %more, label %rest
more:
  %a1 = load i32, ptr %a
  %odd = icmp ne i32 %a1, 0
  br i1 %odd, label %inner, label %rest
rest:
  %a2 = load i32, ptr %a
  %again = icmp ult i32 %a2, 3
  br i1 %again, label %outer, label %done
done:
  %last = load i32, ptr %a
  %big = icmp ugt i32 %last, 7
  br i1 %big, label %one, label %other
one:
  ret void
other:
  ret void
}

define void @state(ptr %x) {
entry:
  br label %loop
loop:
  %s = load i32, ptr %x
  switch i32 %s, label %done [
    i32 0, label %first
    i32 1, label %second
  ]
first:
  store i32 1, ptr %x
  br label %loop
second:
  store i32 2, ptr %x
  br label %loop
done:
  ret void
}

define void @change(ptr %p) {
  store i32 5, ptr %p
  ret void
}

define void @called(i1 %c) {
entry:
  %x = alloca [4 x i32]
  %e = getelementptr i8, ptr %x, i64 8
  br label %loop
loop:
  call void @change(ptr %x)
  %v = load i32, ptr %e
  %less = icmp ult i32 %v, 5
  %both = select i1 %less, i1 %c, i1 false
  br i1 %both, label %loop, label %done
done:
  ret void
}

define void @change_in(ptr %p) {
  %q = load ptr, ptr %p
  store i32 5, ptr %q
  ret void
}

define void @in_a_structure(ptr %r) {
entry:
  %x = alloca i32
  %s = alloca ptr
  store ptr %x, ptr %s
  br label %loop
loop:
  %v = load i32, ptr %x
  store i32 %v, ptr %r
  call void @change_in(ptr %s)
  %c = icmp eq i64 0, 0
  br i1 %c, label %loop, label %done
done:
  ret void
}

declare void @__kmpc_dispatch_init_4(ptr)
define void @reads_alone(ptr %x, ptr %y, i64 %n) {
entry:
  %bound = alloca i32
  %own = alloca [4 x i32]
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %third ]
  call void @__kmpc_dispatch_init_4(ptr %bound)
  %v = load i32, ptr %x
  store i32 %v, ptr %y
  %p = getelementptr i32, ptr %own, i64 %i
  store i32 %v, ptr %own
  %u = load i32, ptr %p
  %w = load i32, ptr %bound
  %c = icmp ult i32 %v, 5
  br i1 %c, label %second, label %done
second:
  %d = icmp ult i32 %u, 5
  br i1 %d, label %third, label %done
third:
  %next = add i64 %i, 1
  %e = icmp ult i32 %w, 5
  br i1 %e, label %loop, label %done
done:
  ret void
}

define ptx_kernel void @mapped(ptr %x) {
entry:
  br label %loop
loop:
  %v = load i32, ptr %x
  %n = add i32 %v, 1
  store i32 %n, ptr %x
  %c = icmp ult i32 %n, 5
  br i1 %c, label %loop, label %done
done:
  ret void
}
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
