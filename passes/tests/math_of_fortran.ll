; What flang writes for Fortran's functions becomes calls of libdevice.
; CHECK: call double @__nv_sin(double %x)
; CHECK: call double @__nv_powi(double <*>, i32 %n)
; CHECK: call i64 @__nv_llround(double <*>)
; CHECK-NEXT: trunc i64 <*> to i32
; CHECK: call double @__nv_fmod(double <*>, double %x)
; CHECK: call float @__nv_expf(float %f)
; CHECK: call afn float @llvm.cos.f32(float <*>)
; CHECK: call float @__nv_log2f(float <*>)
; CHECK: call float @llvm.exp2.f32(float <*>)
; CHECK: call float @__nv_erff(float <*>)
; CHECK: call double @__nv_nan(ptr @text)
; CHECK: call double @llvm.sqrt.f64(double %x)
; CHECK: call double @unknown(double %x)
; CHECK: call double @asinh(double %x)
; NOT: call double @_FortranAModReal8

source_filename = "FIRModule"
target triple = "nvptx64-nvidia-cuda"
@text = private constant [1 x i8] zeroinitializer
define double @f(double %x, i32 %n, float %f) {
  %a = call double @llvm.sin.f64(double %x)
  %b = call double @llvm.powi.f64.i32(double %a, i32 %n)
  %c = call i32 @llvm.lround.i32.f64(double %b)
  %d = call double @_FortranAModReal8(double %b, double %x, ptr @text, i32 1)
  %g = call float @llvm.exp.f32(float %f)
  %h = call afn float @llvm.cos.f32(float %g)
  %i0 = call float @llvm.log2.f32(float %h)
  %i = call float @llvm.exp2.f32(float %i0)
  %j = call float @erff(float %i)
  %k = call double @nan(ptr @text)
  %l = call double @llvm.sqrt.f64(double %x)
  %m = call double @unknown(double %x)
  %p = call double @asinh(double %x)
  %one = sitofp i32 %c to double
  %two = fpext float %j to double
  %three = fadd double %one, %two
  %four = fadd double %three, %d
  %five = fadd double %four, %k
  %six = fadd double %five, %l
  %seven = fadd double %six, %m
  %eight = fadd double %seven, %p
  ret double %eight
}
define double @asinh(double %x) {
  ret double %x
}
declare double @llvm.sin.f64(double)
declare double @llvm.powi.f64.i32(double, i32)
declare i32 @llvm.lround.i32.f64(double)
declare double @_FortranAModReal8(double, double, ptr, i32)
declare float @llvm.exp.f32(float)
declare float @llvm.cos.f32(float)
declare float @llvm.log2.f32(float)
declare float @llvm.exp2.f32(float)
declare float @erff(float)
declare double @nan(ptr)
declare double @llvm.sqrt.f64(double)
declare double @unknown(double)
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 50}
