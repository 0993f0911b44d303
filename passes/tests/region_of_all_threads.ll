; A region that asks for as many threads as a block of each of its kernels has at most gets all of them: it asks for the machine's
; limit. Not one that asks for less, whose number is a must, or that a kernel reaches which has more or is generic.
; CHECK: define ptx_kernel void @bounded
; CHECK: call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 1024, i32 -1, ptr @region
; CHECK: call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 1024, i32 -1, ptr @region
; CHECK: call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 127, i32 -1, ptr @region
; CHECK: call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 128, i32 -1, ptr @region, <*>i32 1)
; CHECK: call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 -1, i32 -1, ptr @region
; CHECK: define ptx_kernel void @larger
; CHECK: call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 128, i32 -1, ptr @region
; CHECK: define internal void @of_both
; CHECK: call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 128, i32 -1, ptr @region
; CHECK: call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 1024, i32 -1, ptr @region

target triple = "nvptx64-nvidia-cuda"
%ident = type { i32, i32, i32, i32, ptr }
%config = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }
%environment = type { %config, ptr, ptr }
@where = private constant %ident zeroinitializer
@bounded_kernel_environment = constant %environment { %config { i8 0, i8 1, i8 2, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr @where, ptr null }
@larger_kernel_environment = constant %environment { %config { i8 0, i8 1, i8 2, i32 1, i32 256, i32 -1, i32 -1, i32 0, i32 0 }, ptr @where, ptr null }

define ptx_kernel void @bounded(ptr %dyn, ptr %a) "nvvm.maxntid"="128" {
entry:
  %init = call i32 @__kmpc_target_init(ptr @bounded_kernel_environment, ptr %dyn)
  %is_user = icmp eq i32 %init, -1
  br i1 %is_user, label %user, label %leave
leave:
  ret void
user:
  call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 128, i32 -1, ptr @region, ptr null, ptr null, i64 0, i32 0)
  call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 200, i32 -1, ptr @region, ptr null, ptr null, i64 0, i32 0)
  call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 127, i32 -1, ptr @region, ptr null, ptr null, i64 0, i32 0)
  call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 128, i32 -1, ptr @region, ptr null, ptr null, i64 0, i32 1)
  call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 -1, i32 -1, ptr @region, ptr null, ptr null, i64 0, i32 0)
  call void @of_both()
  call void @__kmpc_target_deinit()
  ret void
}

define ptx_kernel void @larger(ptr %dyn, ptr %a) "nvvm.maxntid"="256" {
entry:
  %init = call i32 @__kmpc_target_init(ptr @larger_kernel_environment, ptr %dyn)
  %is_user = icmp eq i32 %init, -1
  br i1 %is_user, label %user, label %leave
leave:
  ret void
user:
  call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 128, i32 -1, ptr @region, ptr null, ptr null, i64 0, i32 0)
  call void @of_both()
  call void @__kmpc_target_deinit()
  ret void
}

define internal void @of_both() {
  call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 128, i32 -1, ptr @region, ptr null, ptr null, i64 0, i32 0)
  call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 256, i32 -1, ptr @region, ptr null, ptr null, i64 0, i32 0)
  ret void
}

define internal void @region(ptr %gtid, ptr %btid) {
  store volatile i32 7, ptr %gtid
  ret void
}

declare i32 @__kmpc_target_init(ptr, ptr)
declare void @__kmpc_target_deinit()
declare void @__kmpc_parallel_60(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64, i32)
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
