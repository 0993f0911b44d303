; clang copies structures to the memory between teams and back as if they were aligned to 8 bytes. They are aligned like the structure of a
; team and what stands before them there, and privately for the largest power of two that they hold.
; CHECK: define internal void @to
; CHECK: memcpy.p0.p0.i64(ptr align 4 %one, ptr align 4 %from, i64 12
; CHECK: memcpy.p0.p0.i64(ptr align 2 %three, ptr align 2 %from, i64 3
; CHECK: memcpy.p0.p0.i64(ptr align 8 %stack, ptr align 8 %from, i64 12
; CHECK: define internal void @back
; CHECK: memcpy.p0.p0.i64(ptr align 1 %into, ptr align 1 %three, i64 3
; CHECK: define internal void @wide
; CHECK: memcpy.p0.p0.i64(ptr align 8 %first, ptr align 8 %from, i64 16

target triple = "nvptx64-nvidia-cuda"

%floats = type { float, float, float }
%bytes = type { i8, i8, i8 }
%team = type { %floats, %bytes, i16, %bytes }
%doubles = type { double, double }

declare i32 @__kmpc_nvptx_teams_reduce_nowait_v2(ptr, ptr, i32, i64, ptr, ptr, ptr, ptr, ptr, ptr, ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define void @reduce(ptr %ident, ptr %list) {
  %done = call i32 @__kmpc_nvptx_teams_reduce_nowait_v2(ptr %ident, ptr null, i32 9, i64 24, ptr %list, ptr @other, ptr @other, ptr @to, ptr @other, ptr @back, ptr @other)
  %also = call i32 @__kmpc_nvptx_teams_reduce_nowait_v2(ptr %ident, ptr null, i32 9, i64 16, ptr %list, ptr @other, ptr @other, ptr @wide, ptr @other, ptr @wide, ptr @other)
  ret void
}

declare void @other(ptr, i32, ptr)

define internal void @to(ptr %buffer, i32 %index, ptr %list) {
  %stack = alloca %floats, align 8
  %from = load ptr, ptr %list, align 8
  %team = getelementptr inbounds %team, ptr %buffer, i32 %index
  %one = getelementptr inbounds %team, ptr %team, i32 0, i32 0
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %one, ptr align 8 %from, i64 12, i1 false)
  %three = getelementptr inbounds %team, ptr %team, i32 0, i32 3
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %three, ptr align 8 %from, i64 3, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %stack, ptr align 8 %from, i64 12, i1 false)
  ret void
}

define internal void @back(ptr %buffer, i32 %index, ptr %list) {
  %into = load ptr, ptr %list, align 8
  %team = getelementptr inbounds %team, ptr %buffer, i32 %index
  %three = getelementptr inbounds i8, ptr %team, i64 19
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %into, ptr align 8 %three, i64 3, i1 false)
  ret void
}

define internal void @wide(ptr %buffer, i32 %index, ptr %list) {
  %from = load ptr, ptr %list, align 8
  %team = getelementptr inbounds %doubles, ptr %buffer, i32 %index
  %first = getelementptr inbounds %doubles, ptr %team, i32 0, i32 0
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %first, ptr align 8 %from, i64 16, i1 false)
  ret void
}
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
