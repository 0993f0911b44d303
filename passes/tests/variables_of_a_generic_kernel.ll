; In a kernel that stays generic, variables that others do not see go to the stack, in any function. Others of the main
; thread become static shared memory, within the budget: not in functions that regions call too, or that call themselves.
; REMARK: Value has potential side effects preventing SPMD-mode execution. Add `[[omp::assume("ompx_spmd_amenable")]]` to the called function to override. [OMP121]
; REMARK: Moving globalized variable to the stack. [OMP110]
; REMARK: Replaced globalized variable with 4 bytes of shared memory. [OMP111]
; REMARK: Found thread data sharing on the GPU. Expect degraded performance due to data globalization. [OMP112]
; REMARK: Replaced globalized variable with 4 bytes of shared memory. [OMP111]
; REMARK: Found thread data sharing on the GPU. Expect degraded performance due to data globalization. [OMP112]
; REMARK: Moving globalized variable to the stack. [OMP110]
; REMARK: Found thread data sharing on the GPU. Expect degraded performance due to data globalization. [OMP112]
; TRIPLE: k 1 1 1
; CHECK: @y_shared = internal addrspace(3) global [4 x i8]
; CHECK: @of_serial_shared = internal addrspace(3) global [4 x i8]
; CHECK: %x = alloca [8 x i8], align 16
; CHECK: %z = call align 16 ptr @__kmpc_alloc_shared(i64 41000)
; CHECK: %own = alloca [8 x i8], align 16
; CHECK: %of_both = call align 16 ptr @__kmpc_alloc_shared(i64 4)
; CHECK: %of_recursive = call align 16 ptr @__kmpc_alloc_shared(i64 4)

target triple = "nvptx64-nvidia-cuda"
%ident = type { i32, i32, i32, i32, ptr }
%config = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }
%environment = type { %config, ptr, ptr }
@where = private constant %ident zeroinitializer
@k_kernel_environment = constant %environment { %config { i8 1, i8 1, i8 1, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr @where, ptr null }

define ptx_kernel void @k(ptr %dyn, ptr %a) {
entry:
  %args = alloca [1 x ptr]
  %init = call i32 @__kmpc_target_init(ptr @k_kernel_environment, ptr %dyn)
  %is_user = icmp eq i32 %init, -1
  br i1 %is_user, label %user, label %leave
leave:
  ret void
user:
  %gtid = call i32 @__kmpc_global_thread_num(ptr @where)
  call void @unknown()
  %x = call align 16 ptr @__kmpc_alloc_shared(i64 8)
  %y = call align 16 ptr @__kmpc_alloc_shared(i64 4)
  %z = call align 16 ptr @__kmpc_alloc_shared(i64 41000)
  call void @looks(ptr %x)
  store ptr %z, ptr @kept
  call void @serial(ptr %a)
  call void @both(ptr %a)
  call void @recursive(ptr %a)
  store ptr %y, ptr %args
  call void @__kmpc_parallel_60(ptr @where, i32 %gtid, i32 1, i32 -1, i32 -1, ptr @region, ptr @region_wrapper, ptr %args, i64 1, i32 0)
  call void @__kmpc_free_shared(ptr %z, i64 41000)
  call void @__kmpc_free_shared(ptr %y, i64 4)
  call void @__kmpc_free_shared(ptr %x, i64 8)
  call void @__kmpc_target_deinit()
  ret void
}

define internal void @region(ptr %gtid, ptr %btid, ptr %a) {
  call void @both(ptr %a)
  store i32 7, ptr %a
  ret void
}
define internal void @region_wrapper(i16 %level, i32 %thread) {
  ret void
}

@kept = global ptr null
define internal void @looks(ptr %p) noinline {
  %next = getelementptr i32, ptr %p, i64 1
  call void @looks_deeper(ptr %next)
  ret void
}
define internal void @looks_deeper(ptr %p) noinline {
  store volatile i32 1, ptr %p
  ret void
}
define internal void @keeps(ptr %p) noinline {
  store ptr %p, ptr @kept
  ret void
}
define internal void @serial(ptr %a) noinline {
  %of_serial = call align 16 ptr @__kmpc_alloc_shared(i64 4)
  store ptr %of_serial, ptr @kept
  call void @__kmpc_free_shared(ptr %of_serial, i64 4)
  ret void
}
define internal void @both(ptr %a) noinline {
  %of_both = call align 16 ptr @__kmpc_alloc_shared(i64 4)
  %own = call align 16 ptr @__kmpc_alloc_shared(i64 8)
  store ptr %of_both, ptr @kept
  call void @looks(ptr %own)
  call void @__kmpc_free_shared(ptr %own, i64 8)
  call void @__kmpc_free_shared(ptr %of_both, i64 4)
  ret void
}
define internal void @recursive(ptr %a) noinline {
  %of_recursive = call align 16 ptr @__kmpc_alloc_shared(i64 4)
  store ptr %of_recursive, ptr @kept
  call void @recursive(ptr %of_recursive)
  call void @__kmpc_free_shared(ptr %of_recursive, i64 4)
  ret void
}
declare void @unknown()

declare i32 @__kmpc_target_init(ptr, ptr)
declare void @__kmpc_target_deinit()
declare void @__kmpc_parallel_60(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64, i32)
declare i32 @__kmpc_global_thread_num(ptr)
declare ptr @__kmpc_alloc_shared(i64)
declare void @__kmpc_free_shared(ptr, i64)
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
