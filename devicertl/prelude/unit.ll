; Whose state is it? In clang's default mode every source file has a copy of the state, and a kernel sets up that of its
; own file. These functions are linked after the library is optimised, which would fold them.
;
; `has_kernel` is a question to the compiler. Its one store is in __kmpc_target_init, and never executed. So where a
; file with kernels is optimised, openmp-opt finds the value 1 for every load, and all of this goes. In a file without
; kernels nothing is ever stored, and the value is some other constant. Where nothing is optimised it is read: 0.
@__devrtl_has_kernel = internal addrspace(1) global i32 undef, align 4

define linkonce_odr hidden void @__devrtl_late_mark_unit(ptr %launch) #0 {
  %never = icmp eq ptr %launch, inttoptr (i64 1 to ptr)
  br i1 %never, label %mark, label %done
mark:
  store i32 1, ptr addrspace(1) @__devrtl_has_kernel, align 4
  br label %done
done:
  ret void
}

; What a kernel leaves in STAMP: no other launch leaves the same in shared memory, and nobody else by chance.
define linkonce_odr hidden i64 @__devrtl_late_stamp() #0 {
  %id = call i32 @llvm.nvvm.read.ptx.sreg.gridid()
  %wide = zext i32 %id to i64
  %r = xor i64 %wide, 8389209197443179008
  ret i64 %r
}

define linkonce_odr hidden zeroext i1 @__devrtl_late_in_own_unit() #0 {
  %mark = load i32, ptr addrspace(1) @__devrtl_has_kernel, align 4
  %known = freeze i32 %mark
  %own = icmp eq i32 %known, 1
  br i1 %own, label %yes, label %look
yes:
  ret i1 true
look:
  %same = call i1 @__devrtl_late_is_set_up()
  ret i1 %same
}

; Whether the kernel that runs has set up this copy of the state, also where the file's kernels do but for those with `ompx_bare`.
define linkonce_odr hidden zeroext i1 @__devrtl_late_is_set_up() #0 {
  %found = load i64, ptr addrspace(3) @__devrtl_shared_STAMP, align 8
  %kept = freeze i64 %found
  %now = call i64 @__devrtl_late_stamp()
  %same = icmp eq i64 %kept, %now
  ret i1 %same
}

; A call of a function that nobody defines is an error of the link, if a kernel needs it; its name is the message. The value is
; compared once more: at a link without much optimisation (`-O1 -foffload-lto`) openmp-opt may put it into the question whether it is constant
; and leave the branches that lead here to LLVM's back end.
define linkonce_odr hidden void @__devrtl_late_check_unit() #0 {
  %own = call i1 @__devrtl_late_in_own_unit()
  br i1 %own, label %good, label %bad
good:
  ret void
bad:
  %mark = load i32, ptr addrspace(1) @__devrtl_has_kernel, align 4
  %known = freeze i32 %mark
  %constant = call i1 @llvm.is.constant.i32(i32 %known)
  %other = icmp ne i32 %known, 1
  %optimised = and i1 %constant, %other
  br i1 %optimised, label %link, label %run
link:
  call void @__omptarget_compile_and_link_with_foffload_lto_because_a_kernel_of_another_file_needs_this() #2
  unreachable
run:
  call void @__devrtl_wrong_unit() #2
  unreachable
}

@__devrtl_failure_unit = linkonce_odr hidden unnamed_addr constant [138 x i8] c"a kernel calls a function of another file that needs the state of the runtime, of which each file has its own: compile with -foffload-lto\00"
@__devrtl_failure_unit_file = linkonce_odr hidden unnamed_addr constant [22 x i8] c"OpenMP device runtime\00"
define linkonce_odr hidden void @__devrtl_wrong_unit() #1 {
  call void @__assertfail(ptr @__devrtl_failure_unit, ptr @__devrtl_failure_unit_file, i32 0, ptr @__devrtl_failure_unit_file, i64 1) #2
  unreachable
}

@__devrtl_shared_STAMP = external hidden addrspace(3) global i64
declare i32 @llvm.nvvm.read.ptx.sreg.gridid()
declare i1 @llvm.is.constant.i32(i32)
declare void @__omptarget_compile_and_link_with_foffload_lto_because_a_kernel_of_another_file_needs_this() #2
declare void @__assertfail(ptr, ptr, i32, ptr, i64) noreturn nounwind

attributes #0 = { alwaysinline nounwind "llvm.assume"="ompx_no_call_asm" }
attributes #1 = { cold noinline noreturn nounwind }
attributes #2 = { cold nocallback noreturn nounwind }
