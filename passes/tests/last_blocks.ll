; Blocks of memory in words, 32 bytes at once: where the alignment is known, and behind a question where it is not. What the back
; end writes in words anyway stays, and so does what is volatile or not to be optimised.
; RUN-ARGS: --passes=omptarget-last
; CHECK: define void @structure(
; CHECK: load i64, ptr <*>, align 8
; CHECK: getelementptr i8, ptr <*>, i64 24
; CHECK-NEXT: load i64
; CHECK-NEXT: getelementptr i8, ptr %to, i64
; CHECK-NEXT: store i64
; CHECK: icmp ult i64 <*>, 800
; CHECK: getelementptr i8, ptr %from, i64 800
; CHECK: define void @bytes(
; CHECK: and i64 <*>, 7
; CHECK: and i64 %n, -32
; CHECK: and i64 %n, -8
; CHECK: br i1 <*>, !llvm.loop
; CHECK: load i8, ptr
; CHECK: call void @llvm.memcpy.p0.p0.i64(ptr align 1 %to, ptr align 1 %from, i64 %n, i1 false)
; CHECK: define void @numbers(
; CHECK: store i64 0, ptr addrspace(1) <*>, align 8
; CHECK: define void @moved(
; CHECK: icmp uge i64
; CHECK: load i32, ptr %
; CHECK: define void @few(
; CHECK: call void @llvm.memcpy.p0.p0.i64(ptr align 8 %to, ptr align 8 %from, i64 20, i1 false)
; CHECK: call void @llvm.memcpy.p0.p0.i64(ptr align 1 %to, ptr align 2 %from, i64 20, i1 false)
; CHECK: define void @left(
; CHECK-NEXT: call void @llvm.memcpy.p0.p0.i64(ptr align 4 %to, ptr align 4 %from, i64 20, i1 false)
; CHECK-NEXT: call void @llvm.memcpy.p0.p0.i64(ptr align 1 %to, ptr align 4 %from, i64 12, i1 false)
; CHECK-NEXT: call void @llvm.memcpy.p0.p0.i64(ptr align 8 %to, ptr align 8 %from, i64 800, i1 true)
; CHECK-NEXT: ret void
; CHECK: define void @own(
; CHECK: alloca [205 x i8], align 16
; CHECK: mul i64 <*>, 72340172838076673
; CHECK: store <2 x i64>
; CHECK: store i32 <*>, align 4
; CHECK: store i8 %b
; CHECK: define void @debugged(
; CHECK: call void @llvm.memset.p0.i64(ptr align 8 %to, i8 0, i64 %n, i1 false)

target triple = "nvptx64-nvidia-cuda"

define void @structure(ptr %to, ptr %from) {
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %to, ptr align 8 %from, i64 808, i1 false)
  ret void
}
define void @bytes(ptr %to, ptr %from, i64 %n) {
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %to, ptr align 1 %from, i64 %n, i1 false)
  ret void
}
define void @numbers(ptr addrspace(1) %to, i32 %n) {
  %bytes = shl i32 %n, 3
  call void @llvm.memset.p1.i32(ptr addrspace(1) align 8 %to, i8 0, i32 %bytes, i1 false)
  ret void
}
define void @moved(ptr addrspace(1) %to, ptr %from, i32 %n) {
  %bytes = shl i32 %n, 2
  call void @llvm.memmove.p1.p0.i32(ptr addrspace(1) align 4 %to, ptr align 4 %from, i32 %bytes, i1 false)
  ret void
}
define void @few(ptr %to, ptr %from) {
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %to, ptr align 2 %from, i64 20, i1 false)
  ret void
}
define void @left(ptr %to, ptr %from) {
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %to, ptr align 4 %from, i64 20, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %to, ptr align 4 %from, i64 12, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %to, ptr align 8 %from, i64 800, i1 true)
  ret void
}
define void @own(i8 %b) {
  %a = alloca [205 x i8], align 1
  call void @llvm.memset.p0.i64(ptr %a, i8 %b, i64 205, i1 false)
  call void @use(ptr %a)
  ret void
}
define void @debugged(ptr %to, i64 %n) noinline optnone {
  call void @llvm.memset.p0.i64(ptr align 8 %to, i8 0, i64 %n, i1 false)
  ret void
}
declare void @use(ptr)
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
