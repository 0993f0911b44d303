; Regions that only read, fill variables of their own and come to an end are removed, those that only start such regions too.
; REMARK: Removing parallel region with no side-effects. [OMP160]
; REMARK: Removing parallel region with no side-effects. [OMP160]
; REMARK: Removing parallel region with no side-effects. [OMP160]
; REMARK: Removing parallel region with no side-effects. [OMP160]
; REMARK: Removing parallel region with no side-effects. [OMP160]
; REMARK: Transformed generic-mode kernel to SPMD-mode. [OMP120]
; NOT: call void @__kmpc_parallel_60
; CHECK: br i1 %thread.is_main, label %exit.threads

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
  call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 -1, i32 -1, ptr @empty, ptr null, ptr %args, i64 1, i32 0)
  call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 -1, i32 -1, ptr @shared_loop, ptr null, ptr %args, i64 1, i32 0)
  call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 -1, i32 -1, ptr @promised_loop, ptr null, ptr %args, i64 1, i32 0)
  call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 -1, i32 -1, ptr @nested, ptr null, ptr %args, i64 1, i32 0)
  call void @__kmpc_target_deinit()
  ret void
}
define internal void @empty(ptr %gtid, ptr %btid, ptr %a) {
  ret void
}
define internal void @shared_loop(ptr %gtid, ptr %btid, ptr %a) {
  %lower = alloca i32
  %upper = alloca i32
  %stride = alloca i32
  %last = alloca i32
  %number = load i32, ptr %gtid
  call void @__kmpc_for_static_init_4(ptr @where, i32 %number, i32 33, ptr %last, ptr %lower, ptr %upper, ptr %stride, i32 1, i32 1)
  %first = load i32, ptr %lower
  br label %head
head:
  %i = phi i32 [ %first, %0 ], [ %next, %body ]
  %end = load i32, ptr %upper
  %more = icmp sle i32 %i, %end
  br i1 %more, label %body, label %done
body:
  %place = getelementptr i32, ptr %a, i32 %i
  %value = load i32, ptr %place
  %part = sdiv i32 %value, %i
  %next = add i32 %i, 1
  br label %head
done:
  call void @__kmpc_for_static_fini(ptr @where, i32 %number)
  call void @__kmpc_barrier(ptr @where, i32 %number)
  ret void
}
define internal void @promised_loop(ptr %gtid, ptr %btid, ptr %a) {
  br label %head
head:
  %i = phi i32 [ 0, %0 ], [ %next, %head ]
  %place = getelementptr i32, ptr %a, i32 %i
  %value = load i32, ptr %place
  %next = add i32 %i, 1
  %more = icmp ne i32 %value, 0
  br i1 %more, label %head, label %done, !llvm.loop !1
done:
  ret void
}
define internal void @nested(ptr %gtid, ptr %btid, ptr %a) {
  %args = alloca [1 x ptr]
  store ptr %a, ptr %args
  call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 -1, i32 -1, ptr @empty, ptr null, ptr %args, i64 1, i32 0)
  ret void
}
declare i32 @__kmpc_target_init(ptr, ptr)
declare void @__kmpc_target_deinit()
declare void @__kmpc_parallel_60(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64, i32)
declare void @__kmpc_for_static_init_4(ptr, i32, i32, ptr, ptr, ptr, ptr, i32, i32)
declare void @__kmpc_for_static_fini(ptr, i32)
declare void @__kmpc_barrier(ptr, i32)
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
!1 = distinct !{!1, !2}
!2 = !{!"llvm.loop.mustprogress"}
