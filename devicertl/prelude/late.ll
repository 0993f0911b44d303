; For the compiler that links the runtime into a program: questions that must not be answered when the runtime itself is
; optimised, and what must not be seen through then. So this file is linked behind that.

; src/sync/cancel.rs
define linkonce_odr hidden zeroext i1 @__devrtl_is_constant(i32 %value) #0 {
  %r = call i1 @llvm.is.constant.i32(i32 %value)
  ret i1 %r
}

; src/parallel.rs. `args`. In a copy of the function that starts a region, where they are a variable of the caller, LLVM knows
; that there is nothing to freeze, and this is gone. In the function itself it stays, and openmp-opt does not look through it.
define linkonce_odr hidden ptr @__devrtl_any_args(ptr %args) #0 {
  %r = freeze ptr %args
  ret ptr %r
}

; src/parallel.rs. `code`, which openmp-opt takes for any function at all: it does not see through this, and instcombine,
; which runs behind its first look and before inlining, removes it.
define linkonce_odr hidden ptr @__devrtl_any_code(ptr %code) #0 {
  %bits = ptrtoint ptr %code to i64
  %inverted = xor i64 %bits, -1
  %same = sub i64 -1, %inverted
  %r = inttoptr i64 %same to ptr
  ret ptr %r
}

; src/worksharing/static_.rs. False, in the same way.
define linkonce_odr hidden zeroext i1 @__devrtl_never() #0 {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %inverted = xor i32 %tid, -1
  %same = sub i32 -1, %inverted
  %r = icmp ne i32 %same, %tid
  ret i1 %r
}

attributes #0 = { alwaysinline nounwind }

declare i1 @llvm.is.constant.i32(i32)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
