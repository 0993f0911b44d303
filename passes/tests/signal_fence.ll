; A fence between a thread and its signal handlers, of which a device has none, is left out; the others stay.
; NOT: singlethread
; CHECK: fence acquire
; CHECK: fence syncscope("agent") seq_cst

target triple = "nvptx64-nvidia-cuda"
define void @f(ptr %p) {
  store i32 1, ptr %p
  fence syncscope("singlethread") seq_cst
  fence acquire
  fence syncscope("agent") seq_cst
  fence syncscope("singlethread") acquire
  store i32 2, ptr %p
  ret void
}

!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
