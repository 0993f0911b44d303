; What src/debug.rs prints.

; Its `Report`: taken, line, text, file, function.
%__devrtl_report_type = type { i32, i32, [256 x i8], [192 x i8], [128 x i8] }
@__devrtl_report_memory = linkonce_odr hidden global %__devrtl_report_type zeroinitializer, align 16
define linkonce_odr hidden ptr @__devrtl_report() alwaysinline nounwind {
  ret ptr @__devrtl_report_memory
}
define linkonce_odr hidden void @__devrtl_fail_with(ptr %report) alwaysinline noreturn nounwind {
  %line_at = getelementptr %__devrtl_report_type, ptr %report, i64 0, i32 1
  %text = getelementptr %__devrtl_report_type, ptr %report, i64 0, i32 2
  %file = getelementptr %__devrtl_report_type, ptr %report, i64 0, i32 3
  %function = getelementptr %__devrtl_report_type, ptr %report, i64 0, i32 4
  %line = load i32, ptr %line_at, align 4
  call void @__assertfail(ptr %text, ptr %file, i32 %line, ptr %function, i64 1)
  unreachable
}

@__devrtl_format_notice = linkonce_odr hidden unnamed_addr constant [48 x i8] c"OpenMP device runtime: %s (team %u, thread %u)\0A\00"
define linkonce_odr hidden void @__devrtl_print_notice(ptr %text) nounwind {
  %args = alloca { ptr, i32, i32 }, align 8
  %team_at = getelementptr { ptr, i32, i32 }, ptr %args, i64 0, i32 1
  %thread_at = getelementptr { ptr, i32, i32 }, ptr %args, i64 0, i32 2
  %team = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  store ptr %text, ptr %args, align 8
  store i32 %team, ptr %team_at, align 8
  store i32 %thread, ptr %thread_at, align 4
  %r = call i32 @vprintf(ptr @__devrtl_format_notice, ptr %args)
  ret void
}

declare i32 @vprintf(ptr, ptr)
declare void @__assertfail(ptr, ptr, i32, ptr, i64) noreturn nounwind
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
