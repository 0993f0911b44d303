; RUN-ARGS: --passes=omptarget-last
; Initial values that name each other in a ring: what closes it is written when the module is loaded, in front of the program's own constructors.
; What only names others, and an address that is behind its variable, stay or are written as they are.
; CHECK: @first = global { ptr, i64 } { ptr @second, i64 1 }
; CHECK: @second = global { [2 x ptr], i64 } { [2 x ptr] [ptr @other, ptr null], i64 2 }
; CHECK: @itself = internal global ptr null
; CHECK: @other = constant ptr @lone
; CHECK: @llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 0, ptr @close_rings_<*>, ptr null }]
; CHECK: define internal void @close_rings_
; CHECK: store ptr getelementptr (i8, ptr @first, i64 8), ptr getelementptr (i8, ptr @second, i64 8)
; CHECK: store ptr @itself, ptr @itself

target triple = "nvptx64-nvidia-cuda"
@first = global { ptr, i64 } { ptr @second, i64 1 }
@second = constant { [2 x ptr], i64 } { [2 x ptr] [ptr @other, ptr getelementptr (i8, ptr @first, i64 8)], i64 2 }
@itself = internal constant ptr @itself
@other = constant ptr @lone
@lone = global i64 0
@llvm.compiler.used = appending global [1 x ptr] [ptr @itself], section "llvm.metadata"
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
