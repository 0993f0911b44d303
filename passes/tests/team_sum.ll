; clang leaves what teams reduce on the stack of each thread of an SPMD kernel. A region that adds to it without a reduction of its own gets a variable
; of the team, which starts as what the threads have and which all take behind the region. Where the region only reduces into it, or for
; debuggers a function that it calls, nothing changes.
; RUN-ARGS: --openmp-opt-disable-spmdization
; CHECK: @team_sum_shared = internal addrspace(3) global [4 x i8] poison, align 16
; CHECK: define internal void @team(
; CHECK: store i32 0, ptr addrspacecast (ptr addrspace(3) @team_sum_shared to ptr)
; CHECK-NEXT: store ptr addrspacecast (ptr addrspace(3) @team_sum_shared to ptr), ptr %args
; CHECK: call void @__kmpc_parallel_60(
; CHECK-NEXT: %1 = load i32, ptr addrspacecast (ptr addrspace(3) @team_sum_shared to ptr)
; CHECK-NEXT: store i32 %1, ptr %sum
; CHECK: define internal void @reducing(
; CHECK: store ptr %sum, ptr %args
; CHECK: define internal void @debugged(
; CHECK: store ptr %sum, ptr %args
; COUNT: 1 = load i32, ptr addrspacecast

target triple = "nvptx64-nvidia-cuda"
%ident = type { i32, i32, i32, i32, ptr }
%config = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }
%environment = type { %config, ptr, ptr }
@where = private constant %ident zeroinitializer
@k_kernel_environment = constant %environment { %config { i8 0, i8 1, i8 2, i32 1, i32 128, i32 -1, i32 -1, i32 4, i32 1024 }, ptr @where, ptr null }

declare i32 @__kmpc_target_init(ptr, ptr)
declare void @__kmpc_target_deinit()
declare void @__kmpc_parallel_60(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64, i32)
declare i32 @__kmpc_nvptx_parallel_reduce_nowait_v2(ptr, i64, ptr, ptr, ptr)
declare i32 @__kmpc_nvptx_teams_reduce_nowait_v2(ptr, ptr, i32, i64, ptr, ptr, ptr, ptr, ptr, ptr, ptr)
declare void @other(ptr)

define ptx_kernel void @k(ptr %dyn, ptr %a) {
  %init = call i32 @__kmpc_target_init(ptr @k_kernel_environment, ptr %dyn)
  %is_user = icmp eq i32 %init, -1
  br i1 %is_user, label %user, label %leave
leave:
  ret void
user:
  call void @team(ptr %a)
  call void @reducing(ptr %a)
  call void @debugged(ptr %a)
  call void @__kmpc_target_deinit()
  ret void
}
define internal void @team(ptr %a) {
  %sum = alloca i32, align 4
  %args = alloca [1 x ptr], align 8
  %list = alloca [1 x ptr], align 8
  store i32 0, ptr %sum, align 4
  store ptr %sum, ptr %args, align 8
  call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 -1, i32 -1, ptr @adds, ptr null, ptr %args, i64 1, i32 0)
  store ptr %sum, ptr %list, align 8
  %done = call i32 @__kmpc_nvptx_teams_reduce_nowait_v2(ptr @where, ptr %a, i32 1024, i64 4, ptr %list, ptr @other, ptr @other, ptr @other, ptr @other, ptr @other, ptr @other)
  ret void
}
define internal void @adds(ptr %gtid, ptr %btid, ptr %sum) {
  %old = atomicrmw add ptr %sum, i32 1 monotonic
  ret void
}
define internal void @reducing(ptr %a) {
  %sum = alloca i32, align 4
  %args = alloca [1 x ptr], align 8
  %list = alloca [1 x ptr], align 8
  store i32 0, ptr %sum, align 4
  store ptr %sum, ptr %args, align 8
  call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 -1, i32 -1, ptr @reduces, ptr null, ptr %args, i64 1, i32 0)
  store ptr %sum, ptr %list, align 8
  %done = call i32 @__kmpc_nvptx_teams_reduce_nowait_v2(ptr @where, ptr %a, i32 1024, i64 4, ptr %list, ptr @other, ptr @other, ptr @other, ptr @other, ptr @other, ptr @other)
  ret void
}
define internal void @debugged(ptr %a) {
  %sum = alloca i32, align 4
  %args = alloca [1 x ptr], align 8
  %list = alloca [1 x ptr], align 8
  store i32 0, ptr %sum, align 4
  store ptr %sum, ptr %args, align 8
  call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 -1, i32 -1, ptr @calls, ptr null, ptr %args, i64 1, i32 0)
  store ptr %sum, ptr %list, align 8
  %done = call i32 @__kmpc_nvptx_teams_reduce_nowait_v2(ptr @where, ptr %a, i32 1024, i64 4, ptr %list, ptr @other, ptr @other, ptr @other, ptr @other, ptr @other, ptr @other)
  ret void
}
define internal void @calls(ptr %gtid, ptr %btid, ptr %sum) {
  call void @reduces(ptr %gtid, ptr %btid, ptr %sum)
  ret void
}
define internal void @reduces(ptr %gtid, ptr %btid, ptr %sum) {
  %sum.addr = alloca ptr, align 8
  %own = alloca i32, align 4
  %list = alloca [1 x ptr], align 8
  store ptr %sum, ptr %sum.addr, align 8
  %place = load ptr, ptr %sum.addr, align 8
  store i32 1, ptr %own, align 4
  store ptr %own, ptr %list, align 8
  %done = call i32 @__kmpc_nvptx_parallel_reduce_nowait_v2(ptr @where, i64 4, ptr %list, ptr @other, ptr @other)
  %has_result = icmp eq i32 %done, 1
  br i1 %has_result, label %result, label %out
result:
  %before = load i32, ptr %place, align 4
  %after = add i32 %before, 1
  store i32 %after, ptr %place, align 4
  br label %out
out:
  ret void
}
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
