; A function that only this module calls does not say that it accesses its arguments alone: openmp-opt would take its calls for calls
; of nothing where all give one variable. One that others may call says it.
; CHECK: define internal void @fill(ptr %p)
; CHECK: define void @public(ptr %p)
; CHECK: attributes #0 = { noinline nounwind willreturn }
; CHECK: memory(argmem: write) }

target triple = "nvptx64-nvidia-cuda"
define internal void @fill(ptr %p) noinline nounwind willreturn memory(argmem: write) {
  store i32 1, ptr %p
  ret void
}
define void @public(ptr %p) memory(argmem: write) {
  store i32 1, ptr %p
  ret void
}
define void @calls(ptr %p) {
  call void @fill(ptr %p)
  ret void
}
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 50}
