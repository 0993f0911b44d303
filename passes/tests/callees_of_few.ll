; Sixteen are no trouble: openmp-opt gets them as they are, at its own time.
; RUN-ARGS: --passes=omptarget-many
; COUNT: 16 call void @__kmpc_first(ptr @f
; CHECK: call void %code(ptr %a)

target triple = "nvptx64-nvidia-cuda"

define internal void @__kmpc_first(ptr %code, ptr %a) {
  call void @inner(ptr %code, ptr %a)
  ret void
}
define internal void @inner(ptr %code, ptr %a) noinline {
  call void %code(ptr %a)
  ret void
}
define internal void @f1(ptr %a) {
  store volatile i32 1, ptr %a
  ret void
}
define void @c1(ptr %a) {
  call void @__kmpc_first(ptr @f1, ptr %a)
  ret void
}
define internal void @f2(ptr %a) {
  store volatile i32 2, ptr %a
  ret void
}
define void @c2(ptr %a) {
  call void @__kmpc_first(ptr @f2, ptr %a)
  ret void
}
define internal void @f3(ptr %a) {
  store volatile i32 3, ptr %a
  ret void
}
define void @c3(ptr %a) {
  call void @__kmpc_first(ptr @f3, ptr %a)
  ret void
}
define internal void @f4(ptr %a) {
  store volatile i32 4, ptr %a
  ret void
}
define void @c4(ptr %a) {
  call void @__kmpc_first(ptr @f4, ptr %a)
  ret void
}
define internal void @f5(ptr %a) {
  store volatile i32 5, ptr %a
  ret void
}
define void @c5(ptr %a) {
  call void @__kmpc_first(ptr @f5, ptr %a)
  ret void
}
define internal void @f6(ptr %a) {
  store volatile i32 6, ptr %a
  ret void
}
define void @c6(ptr %a) {
  call void @__kmpc_first(ptr @f6, ptr %a)
  ret void
}
define internal void @f7(ptr %a) {
  store volatile i32 7, ptr %a
  ret void
}
define void @c7(ptr %a) {
  call void @__kmpc_first(ptr @f7, ptr %a)
  ret void
}
define internal void @f8(ptr %a) {
  store volatile i32 8, ptr %a
  ret void
}
define void @c8(ptr %a) {
  call void @__kmpc_first(ptr @f8, ptr %a)
  ret void
}
define internal void @f9(ptr %a) {
  store volatile i32 9, ptr %a
  ret void
}
define void @c9(ptr %a) {
  call void @__kmpc_first(ptr @f9, ptr %a)
  ret void
}
define internal void @f10(ptr %a) {
  store volatile i32 10, ptr %a
  ret void
}
define void @c10(ptr %a) {
  call void @__kmpc_first(ptr @f10, ptr %a)
  ret void
}
define internal void @f11(ptr %a) {
  store volatile i32 11, ptr %a
  ret void
}
define void @c11(ptr %a) {
  call void @__kmpc_first(ptr @f11, ptr %a)
  ret void
}
define internal void @f12(ptr %a) {
  store volatile i32 12, ptr %a
  ret void
}
define void @c12(ptr %a) {
  call void @__kmpc_first(ptr @f12, ptr %a)
  ret void
}
define internal void @f13(ptr %a) {
  store volatile i32 13, ptr %a
  ret void
}
define void @c13(ptr %a) {
  call void @__kmpc_first(ptr @f13, ptr %a)
  ret void
}
define internal void @f14(ptr %a) {
  store volatile i32 14, ptr %a
  ret void
}
define void @c14(ptr %a) {
  call void @__kmpc_first(ptr @f14, ptr %a)
  ret void
}
define internal void @f15(ptr %a) {
  store volatile i32 15, ptr %a
  ret void
}
define void @c15(ptr %a) {
  call void @__kmpc_first(ptr @f15, ptr %a)
  ret void
}
define internal void @f16(ptr %a) {
  store volatile i32 16, ptr %a
  ret void
}
define void @c16(ptr %a) {
  call void @__kmpc_first(ptr @f16, ptr %a)
  ret void
}
!llvm.module.flags = !{!0, !1}
!0 = !{i32 7, !"openmp", i32 51}
!1 = !{i32 7, !"openmp-device", i32 51}
