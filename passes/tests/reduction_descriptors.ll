; Arrays in a reduction of flang: descriptors, here a pointer and a bound. Descriptors for what others have get everything that the variable's
; own has before their pointers are set, a lane takes the elements of another one and not their address, and the memory for what
; teams have has room for the elements.
; CHECK: @k_kernel_environment = constant %environment { %config { i8 0, i8 0, i8 3, i32 1, i32 128, i32 3, i32 3, i32 24, i32 1024 }
; CHECK: define internal void @shuffle
; CHECK: getelementptr inbounds i8, ptr %list, i64 8
; CHECK-NEXT: %own = load ptr
; CHECK-NEXT: call void @llvm.memcpy<*>(ptr align 8 %remote, ptr align 8 %own, i64 16
; CHECK-NEXT: store ptr %elements, ptr %remote,
; CHECK: %own1 = load ptr, ptr %here
; CHECK-NEXT: call void @llvm.memcpy<*>(ptr align 8 %own1, ptr align 8 %pointer, i64 24
; CHECK-NEXT: ret void
; CHECK: define internal void @reduce_to
; CHECK: %own = load ptr
; CHECK-NEXT: call void @llvm.memcpy<*>(ptr align 8 %box, ptr align 8 %own, i64 16
; CHECK-NEXT: store ptr %place, ptr %box
; COUNT: 3 call void @llvm.memcpy

source_filename = "FIRModule"
target triple = "nvptx64-nvidia-cuda"
%ident = type { i32, i32, i32, i32, ptr }
%config = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }
%environment = type { %config, ptr, ptr }
%box = type { ptr, i64 }
%team = type { [3 x double] }

@where = constant %ident { i32 0, i32 2, i32 0, i32 0, ptr null }
@k_kernel_environment = constant %environment { %config { i8 0, i8 1, i8 2, i32 1, i32 128, i32 3, i32 3, i32 8, i32 1024 }, ptr @where, ptr null }

declare i32 @__kmpc_target_init(ptr, ptr)
declare void @__kmpc_target_deinit()
declare i32 @__kmpc_nvptx_teams_reduce_nowait_v2(ptr, ptr, i32, i64, ptr, ptr, ptr, ptr, ptr, ptr, ptr)
declare void @reduce(ptr, ptr)
declare void @copy(ptr, i32)

define ptx_kernel void @k(ptr %dyn, ptr %list, ptr %buffer) {
  %init = call i32 @__kmpc_target_init(ptr @k_kernel_environment, ptr %dyn)
  %is = icmp eq i32 %init, -1
  br i1 %is, label %user, label %out
user:
  %done = call i32 @__kmpc_nvptx_teams_reduce_nowait_v2(ptr @where, ptr %buffer, i32 1024, i64 8, ptr %list, ptr @shuffle, ptr @copy, ptr @to, ptr @reduce_to, ptr @from, ptr @from)
  call void @__kmpc_target_deinit()
  br label %out
out:
  ret void
}

define internal void @shuffle(ptr %list, i16 %lane, i16 %offset, i16 %kind) {
  %list.addr = alloca ptr, align 8
  %remotes = alloca [2 x ptr], align 8
  %remote = alloca %box, align 8
  %elements = alloca [3 x double], align 8
  %number = alloca i64, align 8
  store ptr %list, ptr %list.addr, align 8
  %given = load ptr, ptr %list.addr, align 8
  store ptr %number, ptr %remotes, align 8
  %second = getelementptr inbounds [2 x ptr], ptr %remotes, i64 0, i64 1
  %base = getelementptr %box, ptr %remote, i32 0, i32 0
  store ptr %elements, ptr %base, align 8
  store ptr %remote, ptr %second, align 8
  call void @reduce(ptr %given, ptr %remotes)
  %there = load ptr, ptr %second, align 8
  %here.at = getelementptr inbounds [2 x ptr], ptr %given, i64 0, i64 1
  %here = load ptr, ptr %here.at, align 8
  %pointer = load ptr, ptr %there, align 8
  store ptr %pointer, ptr %here, align 8
  ret void
}

define internal void @to(ptr %buffer, i32 %index, ptr %list) {
  %place = getelementptr inbounds %team, ptr %buffer, i32 %index
  store double 1.0, ptr %place, align 8
  ret void
}

define internal void @reduce_to(ptr %buffer, i32 %index, ptr %list) {
  %box = alloca %box, align 8
  %lists = alloca [1 x ptr], align 8
  %place = getelementptr inbounds %team, ptr %buffer, i32 %index
  store ptr %place, ptr %box, align 8
  store ptr %box, ptr %lists, align 8
  call void @reduce(ptr %lists, ptr %list)
  ret void
}

define internal void @from(ptr %buffer, i32 %index, ptr %list) {
  ret void
}
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
