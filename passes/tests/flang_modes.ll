; Kernels that flang starts with all threads stay so if their serial code does nothing but read and write to their own stacks;
; else they become generic: where it stores to memory that others see, where it reads what a region has written, where
; the runtime's state changes, and where a body that the runtime calls stores.
; RUN-ARGS: --openmp-opt-disable-spmdization
; CHECK: @harmless_kernel_environment = <*> { i8 0, i8 0, i8 2,
; CHECK: @stores_kernel_environment = <*> { i8 1, i8 0, i8 1,
; CHECK: @written_kernel_environment = <*> { i8 1, i8 0, i8 1,
; CHECK: @unread_kernel_environment = <*> { i8 0, i8 0, i8 2,
; CHECK: @asks_kernel_environment = <*> { i8 1, i8 0, i8 1,
; CHECK: @in_a_body_kernel_environment = <*> { i8 1, i8 0, i8 1,
; CHECK: @body_kernel_environment = <*> { i8 1, i8 0, i8 3,

source_filename = "FIRModule"
target triple = "nvptx64-nvidia-cuda"
%ident = type { i32, i32, i32, i32, ptr }
%config = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }
%environment = type { %config, ptr, ptr }
@where = private constant %ident zeroinitializer
@harmless_kernel_environment = constant %environment { %config { i8 0, i8 0, i8 2, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr @where, ptr null }
@stores_kernel_environment = constant %environment { %config { i8 0, i8 0, i8 2, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr @where, ptr null }
@written_kernel_environment = constant %environment { %config { i8 0, i8 0, i8 2, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr @where, ptr null }
@unread_kernel_environment = constant %environment { %config { i8 0, i8 0, i8 2, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr @where, ptr null }
@asks_kernel_environment = constant %environment { %config { i8 0, i8 0, i8 2, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr @where, ptr null }
@in_a_body_kernel_environment = constant %environment { %config { i8 1, i8 0, i8 3, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr @where, ptr null }
@body_kernel_environment = constant %environment { %config { i8 1, i8 0, i8 3, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr @where, ptr null }

define ptx_kernel void @harmless(ptr %dyn, ptr %a) {
entry:
  %args = alloca [1 x ptr]
  %struct = alloca { ptr, ptr }
  %x = alloca i32
  %init = call i32 @__kmpc_target_init(ptr @harmless_kernel_environment, ptr %dyn)
  %is_user = icmp eq i32 %init, -1
  br i1 %is_user, label %user, label %leave
leave:
  ret void
user:
  %n = load i32, ptr %a
  store i32 %n, ptr %x
  store ptr %x, ptr %struct
  %second = getelementptr { ptr, ptr }, ptr %struct, i32 0, i32 1
  store ptr %a, ptr %second
  store ptr %struct, ptr %args
  call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 -1, i32 -1, ptr @reads, ptr null, ptr %args, i64 1, i32 0)
  call void @__kmpc_target_deinit()
  ret void
}

define ptx_kernel void @stores(ptr %dyn, ptr %a) {
entry:
  %args = alloca [1 x ptr]
  %init = call i32 @__kmpc_target_init(ptr @stores_kernel_environment, ptr %dyn)
  %is_user = icmp eq i32 %init, -1
  br i1 %is_user, label %user, label %leave
leave:
  ret void
user:
  store i32 1, ptr %a
  call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 -1, i32 -1, ptr @empty, ptr null, ptr %args, i64 0, i32 0)
  call void @__kmpc_target_deinit()
  ret void
}

; The region writes to %x, by way of the structure of its arguments, and serial code reads it.
define ptx_kernel void @written(ptr %dyn, ptr %a) {
entry:
  %args = alloca [1 x ptr]
  %struct = alloca { ptr, ptr }
  %x = alloca i32
  %init = call i32 @__kmpc_target_init(ptr @written_kernel_environment, ptr %dyn)
  %is_user = icmp eq i32 %init, -1
  br i1 %is_user, label %user, label %leave
leave:
  ret void
user:
  store ptr %a, ptr %struct
  %second = getelementptr { ptr, ptr }, ptr %struct, i32 0, i32 1
  store ptr %x, ptr %second
  store ptr %struct, ptr %args
  call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 -1, i32 -1, ptr @reads, ptr null, ptr %args, i64 1, i32 0)
  %n = load i32, ptr %x
  call void @__kmpc_target_deinit()
  ret void
}

; As the last value of a loop, which nobody reads.
define ptx_kernel void @unread(ptr %dyn, ptr %a) {
entry:
  %args = alloca [1 x ptr]
  %struct = alloca { ptr, ptr }
  %x = alloca i32
  %init = call i32 @__kmpc_target_init(ptr @unread_kernel_environment, ptr %dyn)
  %is_user = icmp eq i32 %init, -1
  br i1 %is_user, label %user, label %leave
leave:
  ret void
user:
  store ptr %a, ptr %struct
  %second = getelementptr { ptr, ptr }, ptr %struct, i32 0, i32 1
  store ptr %x, ptr %second
  store ptr %struct, ptr %args
  call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 -1, i32 -1, ptr @reads, ptr null, ptr %args, i64 1, i32 0)
  call void @__kmpc_target_deinit()
  ret void
}

define ptx_kernel void @asks(ptr %dyn, ptr %a) {
entry:
  %args = alloca [1 x ptr]
  %init = call i32 @__kmpc_target_init(ptr @asks_kernel_environment, ptr %dyn)
  %is_user = icmp eq i32 %init, -1
  br i1 %is_user, label %user, label %leave
leave:
  ret void
user:
  call void @omp_set_num_threads(i32 4)
  call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 -1, i32 -1, ptr @empty, ptr null, ptr %args, i64 0, i32 0)
  call void @__kmpc_target_deinit()
  ret void
}

define ptx_kernel void @in_a_body(ptr %dyn, ptr %a) {
entry:
  %struct = alloca { ptr, ptr }
  %init = call i32 @__kmpc_target_init(ptr @in_a_body_kernel_environment, ptr %dyn)
  %is_user = icmp eq i32 %init, -1
  br i1 %is_user, label %user, label %leave
leave:
  ret void
user:
  %second = getelementptr { ptr, ptr }, ptr %struct, i32 0, i32 1
  store ptr %a, ptr %second
  call void @__kmpc_distribute_static_loop_4u(ptr @where, ptr @storing_body, ptr %struct, i32 8, i32 0, i8 0)
  call void @__kmpc_target_deinit()
  ret void
}

; The structure holds an address of the stack beside the other, and the body stores to that.
define ptx_kernel void @body(ptr %dyn, ptr %a) {
entry:
  %struct = alloca { ptr, ptr }
  %x = alloca i32
  %init = call i32 @__kmpc_target_init(ptr @body_kernel_environment, ptr %dyn)
  %is_user = icmp eq i32 %init, -1
  br i1 %is_user, label %user, label %leave
leave:
  ret void
user:
  store ptr %a, ptr %struct
  %second = getelementptr { ptr, ptr }, ptr %struct, i32 0, i32 1
  store ptr %x, ptr %second
  call void @__kmpc_distribute_static_loop_4u(ptr @where, ptr @other_body, ptr %struct, i32 8, i32 0, i8 0)
  call void @__kmpc_target_deinit()
  ret void
}

define internal void @storing_body(i32 %i, ptr %struct) {
  %second = getelementptr { ptr, ptr }, ptr %struct, i32 0, i32 1
  %a = load ptr, ptr %second
  store i32 %i, ptr %a
  ret void
}

define internal void @other_body(i32 %i, ptr %struct) {
  %second = getelementptr { ptr, ptr }, ptr %struct, i32 0, i32 1
  %x = load ptr, ptr %second
  store i32 %i, ptr %x
  ret void
}

; Reads what the first pointer leads to, and writes to the second.
define internal void @reads(ptr %gtid, ptr %btid, ptr %struct) {
  %x = load ptr, ptr %struct
  %second = getelementptr { ptr, ptr }, ptr %struct, i32 0, i32 1
  %a = load ptr, ptr %second
  %n = load i32, ptr %x
  store i32 %n, ptr %a
  ret void
}

define internal void @empty(ptr %gtid, ptr %btid) {
  call void @__kmpc_barrier(ptr @where, i32 0)
  ret void
}

declare i32 @__kmpc_target_init(ptr, ptr)
declare void @__kmpc_target_deinit()
declare void @__kmpc_barrier(ptr, i32)
declare void @omp_set_num_threads(i32)
declare void @__kmpc_distribute_static_loop_4u(ptr, ptr, ptr, i32, i32, i8)
declare void @__kmpc_parallel_60(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64, i32)

!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 52}
