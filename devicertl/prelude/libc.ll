; C support that Rust cannot spell or must not define on the host: names of the C library, a variadic function, and
; the messages with which the runtime ends a program.

; printf of device code whose call clang did not turn into vprintf itself, for instance through a pointer.
define weak hidden i32 @printf(ptr %format, ...) {
  %list = alloca ptr, align 8
  call void @llvm.va_start.p0(ptr %list)
  %args = load ptr, ptr %list, align 8
  %r = call i32 @vprintf(ptr %format, ptr %args)
  call void @llvm.va_end.p0(ptr %list)
  ret i32 %r
}

; assert of glibc's <assert.h>; __assertfail is CUDA's: the host sees an assertion.
define weak hidden void @__assert_fail(ptr %text, ptr %file, i32 %line, ptr %function) noreturn nounwind {
  call void @__assertfail(ptr %text, ptr %file, i32 %line, ptr %function, i64 1)
  unreachable
}

; Calls that LLVM did not expand. The byte loops must not be recognised as what they implement.
define weak hidden i32 @memcmp(ptr %a, ptr %b, i64 %bytes) nounwind "no-builtins" {
entry:
  %none = icmp eq i64 %bytes, 0
  br i1 %none, label %equal, label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %same ]
  %pa = getelementptr i8, ptr %a, i64 %i
  %pb = getelementptr i8, ptr %b, i64 %i
  %va = load i8, ptr %pa, align 1
  %vb = load i8, ptr %pb, align 1
  %same_byte = icmp eq i8 %va, %vb
  br i1 %same_byte, label %same, label %differ
same:
  %next = add nuw i64 %i, 1
  %done = icmp eq i64 %next, %bytes
  br i1 %done, label %equal, label %loop
differ:
  %wa = zext i8 %va to i32
  %wb = zext i8 %vb to i32
  %r = sub nsw i32 %wa, %wb
  ret i32 %r
equal:
  ret i32 0
}
define weak hidden void @memset(ptr %p, i32 %value, i64 %bytes) nounwind "no-builtins" {
entry:
  %byte = trunc i32 %value to i8
  %none = icmp eq i64 %bytes, 0
  br i1 %none, label %done, label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr i8, ptr %p, i64 %i
  store i8 %byte, ptr %at, align 1
  %next = add nuw i64 %i, 1
  %end = icmp eq i64 %next, %bytes
  br i1 %end, label %done, label %loop
done:
  ret void
}

; src/arch.rs: Failure, in its order.
@__devrtl_failure_0 = linkonce_odr hidden unnamed_addr constant [43 x i8] c"the device heap is full (malloc gave null)\00"
@__devrtl_failure_1 = linkonce_odr hidden unnamed_addr constant [49 x i8] c"num_threads(strict): the team cannot be so large\00"
@__devrtl_failure_2 = linkonce_odr hidden unnamed_addr constant [45 x i8] c"a parallel region has more than 64 arguments\00"
@__devrtl_failure_file = linkonce_odr hidden unnamed_addr constant [22 x i8] c"OpenMP device runtime\00"
define linkonce_odr hidden void @__devrtl_fail(i32 %why) cold noinline noreturn nounwind {
  %is_0 = icmp eq i32 %why, 0
  %is_1 = icmp eq i32 %why, 1
  %or_2 = select i1 %is_1, ptr @__devrtl_failure_1, ptr @__devrtl_failure_2
  %text = select i1 %is_0, ptr @__devrtl_failure_0, ptr %or_2
  call void @__assertfail(ptr %text, ptr @__devrtl_failure_file, i32 0, ptr @__devrtl_failure_file, i64 1)
  unreachable
}

declare i32 @vprintf(ptr, ptr)
declare void @__assertfail(ptr, ptr, i32, ptr, i64) noreturn nounwind
declare void @llvm.va_start.p0(ptr)
declare void @llvm.va_end.p0(ptr)
