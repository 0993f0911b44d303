; C support that Rust cannot spell: variadic functions, texts, and the assumption behind an assertion.

; printf of device code whose call clang did not turn into vprintf itself, for instance through a pointer.
define weak hidden i32 @printf(ptr %format, ...) {
  %list = alloca ptr, align 8
  call void @llvm.va_start.p0(ptr %list)
  %args = load ptr, ptr %list, align 8
  %r = call i32 @vprintf(ptr %format, ptr %args)
  call void @llvm.va_end.p0(ptr %list)
  ret i32 %r
}

; clang 19 calls this instead of vprintf.
define hidden i32 @__llvm_omp_vprintf(ptr %format, ptr %args, i32 %bytes) {
  %r = call i32 @vprintf(ptr %format, ptr %args)
  ret i32 %r
}

@__devrtl_format_line = linkonce_odr hidden unnamed_addr constant [4 x i8] c"%s\0A\00"
define weak hidden i32 @puts(ptr %text) {
  %r = call i32 @__devrtl_print_line(ptr %text)
  ret i32 %r
}
; The same for the runtime itself: the program may bring its own `puts`.
define linkonce_odr hidden i32 @__devrtl_print_line(ptr %text) nounwind {
  %args = alloca ptr, align 8
  store ptr %text, ptr %args, align 8
  %r = call i32 @vprintf(ptr @__devrtl_format_line, ptr %args)
  ret i32 %r
}

; assert of glibc's <assert.h>; __assertfail is CUDA's: the host sees an assertion.
define weak hidden void @__assert_fail(ptr %text, ptr %file, i32 %line, ptr %function) noreturn nounwind {
  call void @__assertfail(ptr %text, ptr %file, i32 %line, ptr %function, i64 1)
  unreachable
}
; The same with a message, which is shown instead of the text of the expression if there is one.
define hidden void @__assert_fail_internal(ptr %text, ptr %message, ptr %file, i32 %line, ptr %function) noreturn nounwind {
  %none = icmp eq ptr %message, null
  %shown = select i1 %none, ptr %text, ptr %message
  call void @__assertfail(ptr %shown, ptr %file, i32 %line, ptr %function, i64 1)
  unreachable
}
define hidden void @__assert_assume(i1 zeroext %holds) alwaysinline nounwind {
  call void @llvm.assume(i1 %holds)
  ret void
}

; What the destructors of static objects are registered with.
@__dso_handle = weak hidden global i8 0, align 1

; src/error.rs. A directive without a message has null.
@__devrtl_failure_user = linkonce_odr hidden unnamed_addr constant [16 x i8] c"error directive\00"
@__devrtl_failure_warning = linkonce_odr hidden unnamed_addr constant [64 x i8] c"OMP: Warning: %s:%u:%u: Encountered user-directed warning: %s.\0A\00"
define linkonce_odr hidden void @__devrtl_user_warning(ptr %file, i32 %line, i32 %column, ptr %message) nounwind {
  %none = icmp eq ptr %message, null
  %text = select i1 %none, ptr @__devrtl_failure_user, ptr %message
  %args = alloca { ptr, i32, i32, ptr }, align 8
  %arg1 = getelementptr i8, ptr %args, i64 8
  %arg2 = getelementptr i8, ptr %args, i64 12
  %arg3 = getelementptr i8, ptr %args, i64 16
  store ptr %file, ptr %args, align 8
  store i32 %line, ptr %arg1, align 4
  store i32 %column, ptr %arg2, align 4
  store ptr %text, ptr %arg3, align 8
  %r = call i32 @vprintf(ptr @__devrtl_failure_warning, ptr %args)
  ret void
}
define linkonce_odr hidden void @__devrtl_user_error(ptr %file, i32 %line, ptr %function, ptr %message) cold noreturn nounwind {
  %none = icmp eq ptr %message, null
  %text = select i1 %none, ptr @__devrtl_failure_user, ptr %message
  call void @__assertfail(ptr %text, ptr %file, i32 %line, ptr %function, i64 1)
  unreachable
}

declare i32 @vprintf(ptr, ptr)
declare void @__assertfail(ptr, ptr, i32, ptr, i64) noreturn nounwind
declare void @llvm.va_start.p0(ptr)
declare void @llvm.va_end.p0(ptr)
declare void @llvm.assume(i1)
