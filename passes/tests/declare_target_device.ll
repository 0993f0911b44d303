; A `save`d variable with `declare target` can be asked for by its name, as the host registers it; others stay to themselves.
; CHECK: @_QFEx = dso_local global [3 x i32] zeroinitializer
; CHECK: @_QFEother = internal global i32 0

source_filename = "FIRModule"
target triple = "nvptx64-nvidia-cuda"

@_QFEx = internal global [3 x i32] zeroinitializer
@_QFEother = internal global i32 0

define void @f() {
  store i32 1, ptr @_QFEother
  %x = load i32, ptr @_QFEx
  ret void
}

!omp_offload.info = !{!1}
!1 = !{i32 1, !"_QFEx", i32 0, i32 0}
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
