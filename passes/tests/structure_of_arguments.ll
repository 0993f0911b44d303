; flang's arguments: a structure on the stack, filled in part before the threads part, whose address is stored where the
; region finds it. It becomes the team's, and thread 0 fills it.
; REMARK: Transformed generic-mode kernel to SPMD-mode. [OMP120]
; TRIPLE: k 0 0 3
; CHECK: @structure_shared = internal addrspace(3) global
; CHECK: define ptx_kernel void @k
; CHECK: user:
; CHECK-NEXT: store ptr %a, ptr addrspacecast (ptr addrspace(3) @structure_shared to ptr)
; CHECK: store i32 7
; CHECK: call void @__kmpc_parallel_60
; NOT: %structure = alloca

target triple = "nvptx64-nvidia-cuda"
%ident = type { i32, i32, i32, i32, ptr }
%config = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }
%environment = type { %config, ptr, ptr }
@where = private constant %ident zeroinitializer
@k_kernel_environment = constant %environment { %config { i8 1, i8 1, i8 1, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr @where, ptr null }

define ptx_kernel void @k(ptr %dyn, ptr %a) {
entry:
  %args = alloca [1 x ptr]
  %structure = alloca { ptr, i32, [4 x i64] }
  store ptr %a, ptr %structure
  %init = call i32 @__kmpc_target_init(ptr @k_kernel_environment, ptr %dyn)
  %is_user = icmp eq i32 %init, -1
  br i1 %is_user, label %user, label %leave
leave:
  ret void
user:
  %gtid = call i32 @__kmpc_global_thread_num(ptr @where)
  %n = getelementptr { ptr, i32, [4 x i64] }, ptr %structure, i32 0, i32 1
  store i32 7, ptr %n
  store ptr %structure, ptr %args
  call void @__kmpc_parallel_60(ptr @where, i32 %gtid, i32 1, i32 -1, i32 -1, ptr @region, ptr null, ptr %args, i64 1, i32 0)
  call void @__kmpc_target_deinit()
  ret void
}

define internal void @region(ptr %gtid, ptr %btid, ptr %structure) {
  %a = load ptr, ptr %structure
  store i32 3, ptr %a
  ret void
}

declare i32 @__kmpc_target_init(ptr, ptr)
declare void @__kmpc_target_deinit()
declare void @__kmpc_parallel_60(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64, i32)
declare i32 @__kmpc_global_thread_num(ptr)
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
