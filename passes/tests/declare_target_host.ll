; A `save`d variable with `declare target`, which only its scope can name, gets the entry with which a host program registers it. One that
; has an entry gets no other, and one of `link` none.
; CHECK: @.offloading.entry_name = private constant [6 x i8] c"_QFEx\00"
; CHECK: @.offloading.entry._QFEx = weak dso_local constant { i64, i16, i16, i32, ptr, ptr, i64, i64, ptr } { i64 0, i16 1, i16 1, i32 0, ptr @_QFEx, ptr @.offloading.entry_name, i64 12, i64 0, ptr null }, section "llvm_offload_entries", align 8
; COUNT: 1 section "llvm_offload_entries", align 8

source_filename = "FIRModule"
target triple = "x86_64-unknown-linux-gnu"

@_QFEx = internal global [3 x i32] zeroinitializer
@_QFEknown = internal global i32 0
@.offloading.entry._QFEknown = weak constant i64 0
@_QFElink = internal global i32 0
@_QMmEx = global i32 0

!omp_offload.info = !{!0, !1, !2, !3, !4}
!0 = !{i32 0, i32 65024, i32 10469979, !"_QQmain", i32 10, i32 0, i32 1}
!1 = !{i32 1, !"_QFEx", i32 0, i32 0}
!2 = !{i32 1, !"_QFEknown", i32 0, i32 2}
!3 = !{i32 1, !"_QFElink", i32 1, i32 3}
!4 = !{i32 1, !"_QMmEx", i32 0, i32 4}
