; When LLVM has done its work, kernels are as clang wrote them.
; RUN-ARGS: --passes=omptarget-begin,default<O2>,omptarget-end
; CHECK: define weak_odr protected ptx_kernel void @k(
; NOT: "omptarget-weak-odr"

target triple = "nvptx64-nvidia-cuda"
%ident = type { i32, i32, i32, i32, ptr }
%config = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }
%environment = type { %config, ptr, ptr }
@where = private constant %ident zeroinitializer
@k_kernel_environment = weak_odr constant %environment { %config { i8 0, i8 0, i8 2, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr @where, ptr null }
define weak_odr protected ptx_kernel void @k(ptr %dyn, ptr %a) {
  %r = call i32 @__kmpc_target_init(ptr @k_kernel_environment, ptr %dyn)
  %worker = icmp eq i32 %r, -1
  br i1 %worker, label %work, label %end
work:
  %task = call ptr @__kmpc_omp_task_alloc(ptr @where, i32 0, i32 1, i64 40, i64 0, ptr @entry)
  %done = call i32 @__kmpc_omp_task(ptr @where, i32 0, ptr %task)
  br label %end
end:
  call void @__kmpc_target_deinit()
  ret void
}
define internal i32 @entry(i32 %thread, ptr %task) {
  %n = call i32 @omp_get_thread_num()
  ret i32 %n
}
define i32 @others_call_this() {
  %n = call i32 @__kmpc_global_thread_num(ptr @where)
  ret i32 %n
}
define internal i32 @__kmpc_target_init(ptr %environment, ptr %dyn) {
  ret i32 -1
}
declare i32 @__kmpc_global_thread_num(ptr)
declare i32 @omp_get_thread_num()
declare ptr @__kmpc_omp_task_alloc(ptr, i32, i32, i64, i64, ptr)
declare i32 @__kmpc_omp_task(ptr, i32, ptr)
declare void @__kmpc_target_deinit()
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
