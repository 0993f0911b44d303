; src/math/machine.rs: what the machine computes itself.

define linkonce_odr hidden double @__devrtl_sqrt(double %x) #0 {
  %r = call double @llvm.sqrt.f64(double %x)
  ret double %r
}
define linkonce_odr hidden float @__devrtl_sqrtf(float %x) #0 {
  %r = call float @llvm.sqrt.f32(float %x)
  ret float %r
}
define linkonce_odr hidden double @__devrtl_fabs(double %x) #0 {
  %r = call double @llvm.fabs.f64(double %x)
  ret double %r
}
define linkonce_odr hidden float @__devrtl_fabsf(float %x) #0 {
  %r = call float @llvm.fabs.f32(float %x)
  ret float %r
}
define linkonce_odr hidden double @__devrtl_floor(double %x) #0 {
  %r = call double @llvm.floor.f64(double %x)
  ret double %r
}
define linkonce_odr hidden float @__devrtl_floorf(float %x) #0 {
  %r = call float @llvm.floor.f32(float %x)
  ret float %r
}
define linkonce_odr hidden double @__devrtl_ceil(double %x) #0 {
  %r = call double @llvm.ceil.f64(double %x)
  ret double %r
}
define linkonce_odr hidden float @__devrtl_ceilf(float %x) #0 {
  %r = call float @llvm.ceil.f32(float %x)
  ret float %r
}
define linkonce_odr hidden double @__devrtl_trunc(double %x) #0 {
  %r = call double @llvm.trunc.f64(double %x)
  ret double %r
}
define linkonce_odr hidden float @__devrtl_truncf(float %x) #0 {
  %r = call float @llvm.trunc.f32(float %x)
  ret float %r
}
define linkonce_odr hidden double @__devrtl_rint(double %x) #0 {
  %r = call double @llvm.rint.f64(double %x)
  ret double %r
}
define linkonce_odr hidden float @__devrtl_rintf(float %x) #0 {
  %r = call float @llvm.rint.f32(float %x)
  ret float %r
}
define linkonce_odr hidden double @__devrtl_fmin(double %x, double %y) #0 {
  %r = call double @llvm.minnum.f64(double %x, double %y)
  ret double %r
}
define linkonce_odr hidden float @__devrtl_fminf(float %x, float %y) #0 {
  %r = call float @llvm.minnum.f32(float %x, float %y)
  ret float %r
}
define linkonce_odr hidden double @__devrtl_fmax(double %x, double %y) #0 {
  %r = call double @llvm.maxnum.f64(double %x, double %y)
  ret double %r
}
define linkonce_odr hidden float @__devrtl_fmaxf(float %x, float %y) #0 {
  %r = call float @llvm.maxnum.f32(float %x, float %y)
  ret float %r
}
define linkonce_odr hidden double @__devrtl_copysign(double %x, double %y) #0 {
  %r = call double @llvm.copysign.f64(double %x, double %y)
  ret double %r
}
define linkonce_odr hidden float @__devrtl_copysignf(float %x, float %y) #0 {
  %r = call float @llvm.copysign.f32(float %x, float %y)
  ret float %r
}
define linkonce_odr hidden double @__devrtl_fma(double %x, double %y, double %z) #0 {
  %r = call double @llvm.fma.f64(double %x, double %y, double %z)
  ret double %r
}
define linkonce_odr hidden float @__devrtl_fmaf(float %x, float %y, float %z) #0 {
  %r = call float @llvm.fma.f32(float %x, float %y, float %z)
  ret float %r
}
define linkonce_odr hidden float @__devrtl_fast_sinf(float %x) #0 {
  %r = call float @llvm.nvvm.sin.approx.f(float %x)
  ret float %r
}
define linkonce_odr hidden float @__devrtl_fast_cosf(float %x) #0 {
  %r = call float @llvm.nvvm.cos.approx.f(float %x)
  ret float %r
}
define linkonce_odr hidden float @__devrtl_fast_log2f(float %x) #0 {
  %r = call float @llvm.nvvm.lg2.approx.f(float %x)
  ret float %r
}
define linkonce_odr hidden float @__devrtl_fast_exp2f(float %x) #0 {
  %r = call float @llvm.nvvm.ex2.approx.f(float %x)
  ret float %r
}
define linkonce_odr hidden float @__devrtl_fast_dividef(float %x, float %y) #0 {
  %r = call float @llvm.nvvm.div.approx.f(float %x, float %y)
  ret float %r
}

attributes #0 = { alwaysinline nounwind }

declare double @llvm.sqrt.f64(double)
declare float @llvm.sqrt.f32(float)
declare double @llvm.fabs.f64(double)
declare float @llvm.fabs.f32(float)
declare double @llvm.floor.f64(double)
declare float @llvm.floor.f32(float)
declare double @llvm.ceil.f64(double)
declare float @llvm.ceil.f32(float)
declare double @llvm.trunc.f64(double)
declare float @llvm.trunc.f32(float)
declare double @llvm.rint.f64(double)
declare float @llvm.rint.f32(float)
declare double @llvm.minnum.f64(double, double)
declare float @llvm.minnum.f32(float, float)
declare double @llvm.maxnum.f64(double, double)
declare float @llvm.maxnum.f32(float, float)
declare double @llvm.copysign.f64(double, double)
declare float @llvm.copysign.f32(float, float)
declare double @llvm.fma.f64(double, double, double)
declare float @llvm.fma.f32(float, float, float)
declare float @llvm.nvvm.sin.approx.f(float)
declare float @llvm.nvvm.cos.approx.f(float)
declare float @llvm.nvvm.lg2.approx.f(float)
declare float @llvm.nvvm.ex2.approx.f(float)
declare float @llvm.nvvm.div.approx.f(float, float)
