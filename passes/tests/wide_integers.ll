; LLVM's back end for GPUs has no conversions between integers of 128 bits and floating-point numbers: they are calls, those of `half` by way of
; `float`. Others stay.
; CHECK: define i128 @from_half(half %x)
; CHECK-NEXT: %1 = fpext half %x to float
; CHECK-NEXT: %2 = call i128 @__fixsfti(float %1)
; CHECK: call i128 @__fixunsdfti(double %x)
; CHECK: define double @to_double(i128 %n)
; CHECK-NEXT: %1 = call double @__floattidf(i128 %n)
; CHECK: %1 = call float @__floatuntisf(i128 %n)
; CHECK-NEXT: %2 = fptrunc float %1 to half
; CHECK: fptosi double %x to i64

target triple = "nvptx64-nvidia-cuda"

define i128 @from_half(half %x) {
  %n = fptosi half %x to i128
  ret i128 %n
}
define i128 @from_double(double %x) {
  %n = fptoui double %x to i128
  ret i128 %n
}
define double @to_double(i128 %n) {
  %x = sitofp i128 %n to double
  ret double %x
}
define half @to_half(i128 %n) {
  %x = uitofp i128 %n to half
  ret half %x
}
define i64 @of_64_bits(double %x) {
  %n = fptosi double %x to i64
  ret i64 %n
}

!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 50}
