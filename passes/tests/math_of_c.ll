; Functions of a C program that have such a name may be its own, in another file; intrinsics are not.
; CHECK: call double @erf(double %x)
; CHECK: call double @__nv_log10(double <*>)
; CHECK: call i64 @__nv_llrint(double <*>)

source_filename = "a.c"
target triple = "nvptx64-nvidia-cuda"
define double @f(double %x) {
  %a = call double @erf(double %x)
  %b = call double @llvm.log10.f64(double %a)
  %c = call i64 @llvm.lrint.i64.f64(double %b)
  %d = sitofp i64 %c to double
  ret double %d
}
declare double @erf(double)
declare double @llvm.log10.f64(double)
declare i64 @llvm.lrint.i64.f64(double)
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 50}
