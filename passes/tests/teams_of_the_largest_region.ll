; Teams are as large as the largest region needs, in whole warps, if clang wrote down its default of 128, all regions ask for a number
; that is known, and nothing tells the program how large a team could be.
; CHECK: @halves_kernel_environment = <*>i32 1, i32 64, i32 -1, i32 -1, i32 0, i32 0 }
; CHECK: @odd_kernel_environment = <*>i32 1, i32 64, i32 -1, i32 -1, i32 0, i32 0 }
; CHECK: @without_a_clause_kernel_environment = <*>i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }
; CHECK: @not_by_half_kernel_environment = <*>i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }
; CHECK: @asks_kernel_environment = <*>i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }
; CHECK: @asks_in_a_region_kernel_environment = <*>i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }
; CHECK: @calls_kernel_environment = <*>i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }
; CHECK: @must_kernel_environment = <*>i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }
; CHECK: @no_region_kernel_environment = <*>i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }
; CHECK: @inner_kernel_environment = <*>i32 1, i32 64, i32 -1, i32 -1, i32 0, i32 0 }
; CHECK: @loop_body_kernel_environment = <*>i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }
; CHECK: @large_kernel_environment = <*>i32 1, i32 256, i32 -1, i32 -1, i32 0, i32 0 }
; CHECK: define ptx_kernel void @halves
; CHECK: i32 1, i32 1024, i32 -1, ptr @region
; CHECK: i32 1, i32 33, i32 -1, ptr @region
; CHECK: attributes #<*>"nvvm.maxntid"="64"

target triple = "nvptx64-nvidia-cuda"
%ident = type { i32, i32, i32, i32, ptr }
%config = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }
%environment = type { %config, ptr, ptr }
@where = private constant %ident zeroinitializer
@halves_kernel_environment = constant %environment { %config { i8 0, i8 1, i8 2, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr @where, ptr null }
@odd_kernel_environment = constant %environment { %config { i8 0, i8 1, i8 2, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr @where, ptr null }
@without_a_clause_kernel_environment = constant %environment { %config { i8 0, i8 1, i8 2, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr @where, ptr null }
@not_by_half_kernel_environment = constant %environment { %config { i8 0, i8 1, i8 2, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr @where, ptr null }
@asks_kernel_environment = constant %environment { %config { i8 0, i8 1, i8 2, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr @where, ptr null }
@asks_in_a_region_kernel_environment = constant %environment { %config { i8 0, i8 1, i8 2, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr @where, ptr null }
@calls_kernel_environment = constant %environment { %config { i8 0, i8 1, i8 2, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr @where, ptr null }
@must_kernel_environment = constant %environment { %config { i8 0, i8 1, i8 2, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr @where, ptr null }
@no_region_kernel_environment = constant %environment { %config { i8 0, i8 1, i8 2, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr @where, ptr null }
@inner_kernel_environment = constant %environment { %config { i8 0, i8 1, i8 2, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr @where, ptr null }
@loop_body_kernel_environment = constant %environment { %config { i8 0, i8 1, i8 2, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr @where, ptr null }
@large_kernel_environment = constant %environment { %config { i8 0, i8 1, i8 2, i32 1, i32 256, i32 -1, i32 -1, i32 0, i32 0 }, ptr @where, ptr null }

define ptx_kernel void @halves(ptr %dyn, ptr %a) "nvvm.maxntid"="128" {
entry:
  %init = call i32 @__kmpc_target_init(ptr @halves_kernel_environment, ptr %dyn)
  %is_user = icmp eq i32 %init, -1
  br i1 %is_user, label %user, label %leave
leave:
  ret void
user:
  call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 64, i32 -1, ptr @region, ptr null, ptr null, i64 0, i32 0)
  call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 33, i32 -1, ptr @region, ptr null, ptr null, i64 0, i32 0)
  call void @__kmpc_target_deinit()
  ret void
}

define ptx_kernel void @odd(ptr %dyn, ptr %a) "nvvm.maxntid"="128" {
entry:
  %init = call i32 @__kmpc_target_init(ptr @odd_kernel_environment, ptr %dyn)
  %is_user = icmp eq i32 %init, -1
  br i1 %is_user, label %user, label %leave
leave:
  ret void
user:
  call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 33, i32 -1, ptr @region, ptr null, ptr null, i64 0, i32 0)
  call void @__kmpc_target_deinit()
  ret void
}

define ptx_kernel void @without_a_clause(ptr %dyn, ptr %a) "nvvm.maxntid"="128" {
entry:
  %init = call i32 @__kmpc_target_init(ptr @without_a_clause_kernel_environment, ptr %dyn)
  %is_user = icmp eq i32 %init, -1
  br i1 %is_user, label %user, label %leave
leave:
  ret void
user:
  call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 64, i32 -1, ptr @region, ptr null, ptr null, i64 0, i32 0)
  call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 -1, i32 -1, ptr @region, ptr null, ptr null, i64 0, i32 0)
  call void @__kmpc_target_deinit()
  ret void
}

define ptx_kernel void @not_by_half(ptr %dyn, ptr %a) "nvvm.maxntid"="128" {
entry:
  %init = call i32 @__kmpc_target_init(ptr @not_by_half_kernel_environment, ptr %dyn)
  %is_user = icmp eq i32 %init, -1
  br i1 %is_user, label %user, label %leave
leave:
  ret void
user:
  call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 128, i32 -1, ptr @region, ptr null, ptr null, i64 0, i32 0)
  call void @__kmpc_target_deinit()
  ret void
}

define ptx_kernel void @asks(ptr %dyn, ptr %a) "nvvm.maxntid"="128" {
entry:
  %init = call i32 @__kmpc_target_init(ptr @asks_kernel_environment, ptr %dyn)
  %is_user = icmp eq i32 %init, -1
  br i1 %is_user, label %user, label %leave
leave:
  ret void
user:
  call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 64, i32 -1, ptr @region, ptr null, ptr null, i64 0, i32 0)
  %m = call i32 @omp_get_max_threads()
  store volatile i32 %m, ptr %a
  call void @__kmpc_target_deinit()
  ret void
}

define ptx_kernel void @asks_in_a_region(ptr %dyn, ptr %a) "nvvm.maxntid"="128" {
entry:
  %init = call i32 @__kmpc_target_init(ptr @asks_in_a_region_kernel_environment, ptr %dyn)
  %is_user = icmp eq i32 %init, -1
  br i1 %is_user, label %user, label %leave
leave:
  ret void
user:
  call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 64, i32 -1, ptr @asking, ptr null, ptr null, i64 0, i32 0)
  call void @__kmpc_target_deinit()
  ret void
}

define ptx_kernel void @calls(ptr %dyn, ptr %a) "nvvm.maxntid"="128" {
entry:
  %init = call i32 @__kmpc_target_init(ptr @calls_kernel_environment, ptr %dyn)
  %is_user = icmp eq i32 %init, -1
  br i1 %is_user, label %user, label %leave
leave:
  ret void
user:
  call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 64, i32 -1, ptr @region, ptr null, ptr null, i64 0, i32 0)
  call void @unknown()
  call void @__kmpc_target_deinit()
  ret void
}

define ptx_kernel void @must(ptr %dyn, ptr %a) "nvvm.maxntid"="128" {
entry:
  %init = call i32 @__kmpc_target_init(ptr @must_kernel_environment, ptr %dyn)
  %is_user = icmp eq i32 %init, -1
  br i1 %is_user, label %user, label %leave
leave:
  ret void
user:
  call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 64, i32 -1, ptr @region, ptr null, ptr null, i64 0, i32 1)
  call void @__kmpc_target_deinit()
  ret void
}

define ptx_kernel void @no_region(ptr %dyn, ptr %a) "nvvm.maxntid"="128" {
entry:
  %init = call i32 @__kmpc_target_init(ptr @no_region_kernel_environment, ptr %dyn)
  %is_user = icmp eq i32 %init, -1
  br i1 %is_user, label %user, label %leave
leave:
  ret void
user:
  store volatile i32 7, ptr %a
  call void @__kmpc_target_deinit()
  ret void
}

define ptx_kernel void @inner(ptr %dyn, ptr %a) "nvvm.maxntid"="128" {
entry:
  %init = call i32 @__kmpc_target_init(ptr @inner_kernel_environment, ptr %dyn)
  %is_user = icmp eq i32 %init, -1
  br i1 %is_user, label %user, label %leave
leave:
  ret void
user:
  call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 64, i32 -1, ptr @outer, ptr null, ptr null, i64 0, i32 0)
  call void @__kmpc_target_deinit()
  ret void
}

define ptx_kernel void @loop_body(ptr %dyn, ptr %a) "nvvm.maxntid"="128" {
entry:
  %init = call i32 @__kmpc_target_init(ptr @loop_body_kernel_environment, ptr %dyn)
  %is_user = icmp eq i32 %init, -1
  br i1 %is_user, label %user, label %leave
leave:
  ret void
user:
  call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 64, i32 -1, ptr @shared_out, ptr null, ptr null, i64 0, i32 0)
  call void @__kmpc_target_deinit()
  ret void
}

define ptx_kernel void @large(ptr %dyn, ptr %a) "nvvm.maxntid"="256" {
entry:
  %init = call i32 @__kmpc_target_init(ptr @large_kernel_environment, ptr %dyn)
  %is_user = icmp eq i32 %init, -1
  br i1 %is_user, label %user, label %leave
leave:
  ret void
user:
  call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 64, i32 -1, ptr @region, ptr null, ptr null, i64 0, i32 0)
  call void @__kmpc_target_deinit()
  ret void
}

define internal void @region(ptr %gtid, ptr %btid) {
  store volatile i32 7, ptr %gtid
  ret void
}

define internal void @asking(ptr %gtid, ptr %btid) {
  %n = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  store volatile i32 %n, ptr %gtid
  ret void
}

define internal void @shared_out(ptr %gtid, ptr %btid) {
  call void @__kmpc_for_static_loop_4u(ptr @where, ptr @body, ptr %gtid, i32 9, i32 64, i32 0, i8 0)
  ret void
}

define internal void @body(i32 %i, ptr %a) {
  %m = call i32 @omp_get_max_threads()
  store volatile i32 %m, ptr %a
  ret void
}

define internal void @outer(ptr %gtid, ptr %btid) {
  call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 48, i32 -1, ptr @region, ptr null, ptr null, i64 0, i32 0)
  ret void
}

declare i32 @__kmpc_target_init(ptr, ptr)
declare void @__kmpc_target_deinit()
declare void @__kmpc_parallel_60(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64, i32)
declare i32 @omp_get_max_threads()
declare void @__kmpc_for_static_loop_4u(ptr, ptr, ptr, i32, i32, i32, i8)
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare void @unknown()
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
