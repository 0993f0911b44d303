; RUN-ARGS: --passes=omptarget-last
; A variable with a fraction of 16 bits is one with an integer of its bits; arrays are written as bytes.
; CHECK: @half = global i16 15872
; CHECK: @brain = internal constant i16 -16352
; CHECK: @several = global [2 x half]

target triple = "nvptx64-nvidia-cuda"
@half = global half 1.5
@brain = internal constant bfloat -2.5
@several = global [2 x half] [half 1.0, half 2.0]
define half @read() {
  %h = load half, ptr @half
  %b = load bfloat, ptr @brain
  %w = bitcast bfloat %b to half
  %s = fadd half %h, %w
  ret half %s
}
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
