; Blocks of a generic kernel may have a warp more than the limit of its threads, for the main thread. One without a limit keeps its bound, and
; so does one in which all threads start.
; CHECK: @small_kernel_environment = <*> i8 1, i32 1, i32 64, i32
; CHECK: @usual_kernel_environment = <*> i8 1, i32 1, i32 128, i32
; CHECK: @spmd_kernel_environment = <*> i8 2, i32 1, i32 32, i32
; COUNT: 1 "nvvm.maxntid"="64"
; COUNT: 1 "nvvm.maxntid"="128"
; COUNT: 1 "nvvm.maxntid"="32"

target triple = "nvptx64-nvidia-cuda"
%ident = type { i32, i32, i32, i32, ptr }
%config = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }
%environment = type { %config, ptr, ptr }
@where = private constant %ident zeroinitializer
@small_kernel_environment = constant %environment { %config { i8 1, i8 1, i8 1, i32 1, i32 32, i32 -1, i32 -1, i32 0, i32 0 }, ptr @where, ptr null }
@usual_kernel_environment = constant %environment { %config { i8 1, i8 1, i8 1, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr @where, ptr null }
@spmd_kernel_environment = constant %environment { %config { i8 0, i8 1, i8 2, i32 1, i32 32, i32 -1, i32 -1, i32 0, i32 0 }, ptr @where, ptr null }

define ptx_kernel void @small(ptr %dyn) #0 {
  %init = call i32 @__kmpc_target_init(ptr @small_kernel_environment, ptr %dyn)
  %is_user = icmp eq i32 %init, -1
  br i1 %is_user, label %user, label %leave
leave:
  ret void
user:
  call void @unknown()
  call void @__kmpc_target_deinit()
  ret void
}
define ptx_kernel void @usual(ptr %dyn) #1 {
  %init = call i32 @__kmpc_target_init(ptr @usual_kernel_environment, ptr %dyn)
  %is_user = icmp eq i32 %init, -1
  br i1 %is_user, label %user, label %leave
leave:
  ret void
user:
  call void @unknown()
  call void @__kmpc_target_deinit()
  ret void
}
define ptx_kernel void @spmd(ptr %dyn) #2 {
  %init = call i32 @__kmpc_target_init(ptr @spmd_kernel_environment, ptr %dyn)
  %is_user = icmp eq i32 %init, -1
  br i1 %is_user, label %user, label %leave
leave:
  ret void
user:
  call void @unknown()
  call void @__kmpc_target_deinit()
  ret void
}
declare void @unknown()
declare i32 @__kmpc_target_init(ptr, ptr)
declare void @__kmpc_target_deinit()
attributes #0 = { "nvvm.maxntid"="32" "omp_target_thread_limit"="32" }
attributes #1 = { "nvvm.maxntid"="128" "omp_target_thread_limit"="128" }
attributes #2 = { "nvvm.maxntid"="32" "omp_target_thread_limit"="32" }
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
