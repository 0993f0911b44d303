; As `variable_beside_shared_memory.ll`, with a reduction in the region, for whose slots 8 KiB are left: 39040 bytes.
; REMARK: Replaced globalized variable with 32768 bytes of shared memory. [OMP111]
; REMARK: Replaced globalized variable with 4 bytes of shared memory. [OMP111]
; REMARK: Found thread data sharing on the GPU. Expect degraded performance due to data globalization. [OMP112]
; REMARK: Transformed generic-mode kernel to SPMD-mode. [OMP120]
; CHECK: @x_shared = internal addrspace(3) global [32768 x i8] poison, align 16
; CHECK: @y_shared = internal addrspace(3) global [4 x i8] poison, align 16
; CHECK: %z = call <*>@__kmpc_alloc_shared(i64 2288)

target triple = "nvptx64-nvidia-cuda"
%ident = type { i32, i32, i32, i32, ptr }
%config = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }
%environment = type { %config, ptr, ptr }
@where = private constant %ident zeroinitializer
@k_kernel_environment = constant %environment { %config { i8 1, i8 1, i8 1, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr @where, ptr null }

define ptx_kernel void @k(ptr %dyn, ptr %a) {
entry:
  %args = alloca [3 x ptr]
  %init = call i32 @__kmpc_target_init(ptr @k_kernel_environment, ptr %dyn)
  %is_user = icmp eq i32 %init, -1
  br i1 %is_user, label %user, label %leave
leave:
  ret void
user:
  %gtid = call i32 @__kmpc_global_thread_num(ptr @where)
  call void @helper(ptr %a)
  %x = call align 16 ptr @__kmpc_alloc_shared(i64 32768)
  %z = call align 16 ptr @__kmpc_alloc_shared(i64 2288)
  %y = call align 16 ptr @__kmpc_alloc_shared(i64 4)
  store i32 1, ptr %x
  store ptr %x, ptr %args
  %second = getelementptr ptr, ptr %args, i64 1
  store ptr %y, ptr %second
  %third = getelementptr ptr, ptr %args, i64 2
  store ptr %z, ptr %third
  call void @__kmpc_parallel_60(ptr @where, i32 %gtid, i32 1, i32 -1, i32 -1, ptr @region, ptr @region_wrapper, ptr %args, i64 3, i32 0)
  call void @__kmpc_free_shared(ptr %x, i64 32768)
  call void @__kmpc_free_shared(ptr %y, i64 4)
  call void @__kmpc_free_shared(ptr %z, i64 2288)
  call void @__kmpc_target_deinit()
  ret void
}

; Another kernel's, and not of this budget.
@other = internal addrspace(3) global [40000 x i8] poison, align 16
define void @not_called(ptr %a) {
  store i8 1, ptr addrspace(3) @other
  ret void
}

@declared = internal addrspace(3) global [2000 x i8] poison, align 16
@of_region = internal addrspace(3) global [2000 x i8] poison, align 16
define internal void @helper(ptr %a) {
  store ptr addrspacecast (ptr addrspace(3) @declared to ptr), ptr %a
  ret void
}

define internal void @region(ptr %gtid, ptr %btid, ptr %x, ptr %y, ptr %z) {
  store i8 7, ptr addrspacecast (ptr addrspace(3) @of_region to ptr)
  store i32 7, ptr %x
  store i32 7, ptr %y
  store i32 7, ptr %z
  %reduced = call i32 @__kmpc_nvptx_parallel_reduce_nowait_v2(ptr @where, i64 8, ptr %x, ptr null, ptr null)
  ret void
}
define internal void @region_wrapper(i16 %level, i32 %thread) {
  ret void
}

declare i32 @__kmpc_target_init(ptr, ptr)
declare void @__kmpc_target_deinit()
declare void @__kmpc_parallel_60(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64, i32)
declare i32 @__kmpc_global_thread_num(ptr)
declare i32 @__kmpc_nvptx_parallel_reduce_nowait_v2(ptr, i64, ptr, ptr, ptr)
declare ptr @__kmpc_alloc_shared(i64)
declare void @__kmpc_free_shared(ptr, i64)
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
