; Device code for the CPU of the host has the host's functions.
; STDERR: is no OpenMP device code for NVIDIA
; UNCHANGED

source_filename = "a.c"
target triple = "x86_64-pc-linux-gnu"
define double @f(double %x) {
  %a = call double @erf(double %x)
  %b = call double @llvm.log10.f64(double %a)
  ret double %b
}
declare double @erf(double)
declare double @llvm.log10.f64(double)
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 50}
