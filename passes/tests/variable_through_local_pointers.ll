; A variable that becomes the team's, which the compiler accesses as one of the stack: no such access is left.
; REMARK: Transformed generic-mode kernel to SPMD-mode. [OMP120]
; CHECK: store i32 7, ptr addrspacecast (ptr addrspace(3) @pair_shared to ptr), align 4
; CHECK: %second = getelementptr inbounds nuw i8, ptr addrspacecast (ptr addrspace(3) @pair_shared to ptr), i64 4
; CHECK: atomicrmw add ptr %second.main, i32 1
; CHECK: load i32, ptr %second.main
; NOT: addrspacecast (ptr addrspace(3) @pair_shared to ptr addrspace(5))
; COUNT: 0 %pair = alloca

target triple = "nvptx64-nvidia-cuda"
%ident = type { i32, i32, i32, i32, ptr }
%config = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }
%environment = type { %config, ptr, ptr }
@where = private constant %ident zeroinitializer
@k_kernel_environment = constant %environment { %config { i8 1, i8 1, i8 1, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr @where, ptr null }

define ptx_kernel void @k(ptr %dyn, ptr %a) {
entry:
  %args = alloca [1 x ptr]
  %pair = alloca [2 x i32]
  %init = call i32 @__kmpc_target_init(ptr @k_kernel_environment, ptr %dyn)
  %is_user = icmp eq i32 %init, -1
  br i1 %is_user, label %user, label %leave
leave:
  ret void
user:
  %gtid = call i32 @__kmpc_global_thread_num(ptr @where)
  %local = addrspacecast ptr %pair to ptr addrspace(5)
  store i32 7, ptr addrspace(5) %local, align 4
  %second = getelementptr inbounds nuw i8, ptr addrspace(5) %local, i64 4
  store i32 8, ptr addrspace(5) %second, align 4
  store ptr %pair, ptr %args
  call void @__kmpc_parallel_60(ptr @where, i32 %gtid, i32 1, i32 -1, i32 -1, ptr @region, ptr @region_wrapper, ptr %args, i64 1, i32 0)
  %old = atomicrmw add ptr addrspace(5) %second, i32 1 monotonic
  %new = load i32, ptr addrspace(5) %second, align 4
  %sum = add i32 %old, %new
  store i32 %sum, ptr %a
  call void @__kmpc_target_deinit()
  ret void
}

define internal void @region(ptr %gtid, ptr %btid, ptr %a) {
  store i32 7, ptr %a
  ret void
}
define internal void @region_wrapper(i16 %level, i32 %thread) {
  ret void
}

declare i32 @__kmpc_target_init(ptr, ptr)
declare void @__kmpc_target_deinit()
declare void @__kmpc_parallel_60(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64, i32)
declare i32 @__kmpc_global_thread_num(ptr)
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
