; Intrinsics with two results, of which the functions of libdevice give one or both through pointers. One whose results go on together
; stays.
; CHECK: <*> = alloca double
; CHECK: call double @__nv_modf(double %x, ptr <*>)
; CHECK: call void @__nv_sincosf(float %y, ptr <*>, ptr <*>)
; CHECK: call { double, double } @llvm.sincos.f64(double %x)
; COUNT: 1 extractvalue

target triple = "nvptx64-nvidia-cuda"
define void @f(double %x, float %y, ptr %to) {
  %pair = call { double, double } @llvm.modf.f64(double %x)
  %fraction = extractvalue { double, double } %pair, 0
  %whole = extractvalue { double, double } %pair, 1
  %sum = fadd double %fraction, %whole
  store double %sum, ptr %to
  %both = call { float, float } @llvm.sincos.f32(float %y)
  %cos = extractvalue { float, float } %both, 1
  store float %cos, ptr %to
  %kept = call { double, double } @llvm.sincos.f64(double %x)
  %sin = extractvalue { double, double } %kept, 0
  store double %sin, ptr %to
  store { double, double } %kept, ptr %to
  ret void
}
declare { double, double } @llvm.modf.f64(double)
declare { float, float } @llvm.sincos.f32(float)
declare { double, double } @llvm.sincos.f64(double)
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
