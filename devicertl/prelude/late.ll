; Questions to the compiler that links the runtime into a program. They must not be answered when the runtime itself is
; optimised, so this file is linked behind that.

; src/sync/cancel.rs
define linkonce_odr hidden zeroext i1 @__devrtl_is_constant(i32 %value) #0 {
  %r = call i1 @llvm.is.constant.i32(i32 %value)
  ret i1 %r
}

attributes #0 = { alwaysinline nounwind }

declare i1 @llvm.is.constant.i32(i32)
