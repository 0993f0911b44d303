; Calls through pointers: rustc does not mark them convergent, and without the mark LLVM duplicates them. The call of
; a region, with one case for each number of arguments, is generated, and so are those of functions that make one value of two.

define linkonce_odr hidden void @__devrtl_call_wrapper(ptr %f, i32 %level, i32 %tid) #0 {
  %level16 = trunc i32 %level to i16
  call void %f(i16 zeroext %level16, i32 %tid) #1
  ret void
}
define linkonce_odr hidden void @__devrtl_call_body_32(ptr %f, i32 %iteration, ptr %arg) #0 {
  call void %f(i32 %iteration, ptr %arg) #1
  ret void
}
define linkonce_odr hidden void @__devrtl_call_body_64(ptr %f, i64 %iteration, ptr %arg) #0 {
  call void %f(i64 %iteration, ptr %arg) #1
  ret void
}
define linkonce_odr hidden void @__devrtl_call_shuffle(ptr %f, ptr %data, i32 %lane, i32 %offset, i32 %algorithm) #0 {
  %lane16 = trunc i32 %lane to i16
  %offset16 = trunc i32 %offset to i16
  %algorithm16 = trunc i32 %algorithm to i16
  call void %f(ptr %data, i16 signext %lane16, i16 signext %offset16, i16 signext %algorithm16) #1
  ret void
}
define linkonce_odr hidden void @__devrtl_call_copy(ptr %f, ptr %data, i32 %warps) #0 {
  call void %f(ptr %data, i32 %warps) #1
  ret void
}
define linkonce_odr hidden void @__devrtl_call_record(ptr %f, ptr %buffer, i32 %record, ptr %data) #0 {
  call void %f(ptr %buffer, i32 %record, ptr %data) #1
  ret void
}
define linkonce_odr hidden i32 @__devrtl_call_task(ptr %f, i32 %gtid, ptr %task) #0 {
  %r = call i32 %f(i32 %gtid, ptr %task) #1
  ret i32 %r
}
define linkonce_odr hidden void @__devrtl_call_task_copy(ptr %f, ptr %to, ptr %from, i32 %last) #0 {
  call void %f(ptr %to, ptr %from, i32 %last) #1
  ret void
}
define linkonce_odr hidden void @__devrtl_call_one(ptr %f, ptr %variable) #0 {
  call void %f(ptr %variable) #1
  ret void
}
define linkonce_odr hidden void @__devrtl_call_two(ptr %f, ptr %first, ptr %second) #0 {
  call void %f(ptr %first, ptr %second) #1
  ret void
}
define linkonce_odr hidden void @__devrtl_combine_in_memory(ptr %f, ptr %to, ptr %one, ptr %other, i64 %bytes) #0 {
  call void %f(ptr %to, ptr %one, ptr %other) #1
  ret void
}
; flang passes a text as its address and its length together.
define linkonce_odr hidden void @__devrtl_combine_texts(ptr %f, ptr %to, ptr %one, ptr %other, i64 %bytes) #0 {
  %half1 = insertvalue { ptr, i64 } poison, ptr %one, 0
  %text1 = insertvalue { ptr, i64 } %half1, i64 %bytes, 1
  %half2 = insertvalue { ptr, i64 } poison, ptr %other, 0
  %text2 = insertvalue { ptr, i64 } %half2, i64 %bytes, 1
  %r = call { ptr, i64 } %f(ptr %to, i64 %bytes, { ptr, i64 } %text1, { ptr, i64 } %text2) #1
  ret void
}

; A function with a variable number of arguments, all of the size of a pointer. src/fork.rs does the work.
define hidden void @__kmpc_fork_call(ptr %loc, i32 %count, ptr %f, ...) convergent nounwind {
  %list = alloca ptr, align 8
  call void @llvm.va_start.p0(ptr %list)
  %args = load ptr, ptr %list, align 8
  call void @__devrtl_fork(ptr %f, ptr %args, i32 %count) #1
  call void @llvm.va_end.p0(ptr %list)
  ret void
}
declare void @__devrtl_fork(ptr, ptr, i32)
declare void @llvm.va_start.p0(ptr)
declare void @llvm.va_end.p0(ptr)

; Exports that the runtime must reference by name. A call in Rust would repeat `noinline`, which LLVM removes from
; functions only.
define linkonce_odr hidden zeroext i1 @__devrtl_next_region(ptr %out) #0 {
  %r = call i1 @__kmpc_kernel_parallel(ptr %out) #1
  ret i1 %r
}
define linkonce_odr hidden void @__devrtl_end_of_region() #0 {
  call void @__kmpc_kernel_end_parallel() #1
  ret void
}
; The mode is that of the kernel, whenever one asks: of several questions in a function one is left.
define linkonce_odr hidden zeroext i1 @__devrtl_is_spmd() #0 {
  %r = call i8 @__kmpc_is_spmd_exec_mode() #7
  %is = icmp ne i8 %r, 0
  ret i1 %is
}
declare i8 @__kmpc_is_spmd_exec_mode()
declare zeroext i1 @__kmpc_kernel_parallel(ptr)
declare void @__kmpc_kernel_end_parallel()

; Functions of unit.ll, which come after the optimisation of this library. It must not think that they touch the state.
; The check does not promise to return: it would go before code that LLVM finds unreachable, as in files without kernels.
define linkonce_odr hidden i64 @__devrtl_stamp() #2 {
  %r = call i64 @__devrtl_late_stamp() #3
  ret i64 %r
}
define linkonce_odr hidden void @__devrtl_mark_unit(ptr %launch) #2 {
  call void @__devrtl_late_mark_unit(ptr %launch) #4
  ret void
}
define linkonce_odr hidden void @__devrtl_check_unit() #2 {
  call void @__devrtl_late_check_unit() #5
  ret void
}
define linkonce_odr hidden zeroext i1 @__devrtl_in_own_unit() #2 {
  %r = call i1 @__devrtl_late_in_own_unit() #6
  ret i1 %r
}
define linkonce_odr hidden zeroext i1 @__devrtl_is_set_up() #2 {
  %r = call i1 @__devrtl_late_is_set_up() #6
  ret i1 %r
}
declare i64 @__devrtl_late_stamp()
declare void @__devrtl_late_mark_unit(ptr)
declare void @__devrtl_late_check_unit()
declare i1 @__devrtl_late_in_own_unit()
declare i1 @__devrtl_late_is_set_up()

attributes #0 = { alwaysinline convergent nounwind "llvm.assume"="ompx_no_call_asm" }
attributes #1 = { convergent nounwind }
attributes #2 = { alwaysinline nounwind }
attributes #3 = { nocallback nofree norecurse nosync nounwind willreturn memory(none) }
attributes #4 = { nocallback nofree norecurse nosync nounwind willreturn memory(inaccessiblemem: readwrite) }
attributes #5 = { nocallback nofree norecurse nosync nounwind memory(read, inaccessiblemem: readwrite) }
attributes #6 = { nocallback nofree norecurse nosync nounwind willreturn memory(read) }
attributes #7 = { nocallback nofree norecurse nosync nounwind willreturn memory(none) }
