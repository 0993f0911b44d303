; A region of a generic kernel of flang's gets a wrapper, and what its arguments lead to moves from the main thread's stack to where
; all threads reach it: behind __kmpc_target_init, and what is stored before that moves along. A variable that no region
; reaches stays, and a function that starts a region may keep its arguments, whatever flang says; called by another file, it
; runs the region with one thread if it gets an address of a stack. The block gets room for the main thread.
; RUN-ARGS: --openmp-opt-disable-spmdization --openmp-opt-disable-deglobalization
; CHECK: i8 1, i8 1, i8 1, i32 1, i32 64, i32 -1
; CHECK: define ptx_kernel void @k(
; CHECK: %args = alloca [1 x ptr]
; CHECK: %init = call i32 @__kmpc_target_init(
; CHECK: user:
; CHECK-NEXT: %given = call align 16 ptr @__kmpc_alloc_shared(i64 4)
; CHECK-NEXT: %struct = call align 16 ptr @__kmpc_alloc_shared(i64 16)
; CHECK-NEXT: store i32 %n, ptr %given
; CHECK: call void @uses(ptr %own)
; CHECK: call void @__kmpc_parallel_60(<*> ptr @region, ptr @region_wrapper, ptr %args, i64 1, i32 0)
; CHECK: call void @with_region(ptr %given)
; CHECK: call void @__kmpc_free_shared(ptr %struct, i64 16)
; CHECK-NEXT: call void @__kmpc_free_shared(ptr %given, i64 4)
; CHECK-NEXT: call void @__kmpc_target_deinit()
; CHECK: define void @with_region(ptr %x)
; CHECK: %region.is_local = call i1 @llvm.nvvm.isspacep.local(ptr
; CHECK: %region.wrapper = select i1 %region.is_local, ptr null, ptr @region_wrapper
; CHECK: call void @__kmpc_parallel_60(<*> ptr @region, ptr %region.wrapper, ptr %args, i64 1, i32 0)
; CHECK: declare void @in_another_file(ptr)
; CHECK: define internal void @region_wrapper(i16 %0, i32 %1)
; CHECK: call void @__kmpc_get_shared_variables(ptr %global_args)
; CHECK: call void @region(ptr %thread, ptr %zero, ptr

source_filename = "FIRModule"
target triple = "nvptx64-nvidia-cuda"
%ident = type { i32, i32, i32, i32, ptr }
%config = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }
%environment = type { %config, ptr, ptr }
@where = private constant %ident zeroinitializer
@k_kernel_environment = constant %environment { %config { i8 1, i8 1, i8 1, i32 1, i32 4, i32 -1, i32 -1, i32 0, i32 0 }, ptr @where, ptr null }

define ptx_kernel void @k(ptr %dyn, ptr %a, i32 %n) "nvvm.maxntid"="4" {
entry:
  %args = alloca [1 x ptr]
  %given = alloca i32
  store i32 %n, ptr %given
  %struct = alloca { ptr, ptr }
  %own = alloca i32
  %init = call i32 @__kmpc_target_init(ptr @k_kernel_environment, ptr %dyn)
  %is_user = icmp eq i32 %init, -1
  br i1 %is_user, label %user, label %leave
leave:
  ret void
user:
  %gtid = call i32 @__kmpc_global_thread_num(ptr @where)
  call void @uses(ptr %own)
  store ptr %given, ptr %struct
  %second = getelementptr { ptr, ptr }, ptr %struct, i32 0, i32 1
  store ptr %a, ptr %second
  store ptr %struct, ptr %args
  call void @__kmpc_parallel_60(ptr @where, i32 %gtid, i32 1, i32 -1, i32 -1, ptr @region, ptr null, ptr %args, i64 1, i32 0)
  call void @with_region(ptr captures(none) %given)
  call void @in_another_file(ptr captures(none) %given)
  call void @__kmpc_target_deinit()
  ret void
}

define internal void @uses(ptr %p) noinline {
  store volatile i32 1, ptr %p
  ret void
}

define void @with_region(ptr captures(none) %x) {
  %args = alloca [1 x ptr]
  %struct = alloca { ptr, ptr }
  store ptr %x, ptr %struct
  store ptr %struct, ptr %args
  call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 -1, i32 -1, ptr @region, ptr null, ptr %args, i64 1, i32 0)
  ret void
}

declare void @in_another_file(ptr captures(none))

define internal void @region(ptr %gtid, ptr %btid, ptr %struct) {
  %x = load ptr, ptr %struct
  store volatile i32 7, ptr %x
  ret void
}

declare i32 @__kmpc_target_init(ptr, ptr)
declare void @__kmpc_target_deinit()
declare i32 @__kmpc_global_thread_num(ptr)
declare void @__kmpc_parallel_60(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64, i32)

!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 52}
