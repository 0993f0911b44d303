; 132 bytes for each warp are too many.
; COUNT: 2 call void @__kmpc_barrier(
; NOT: @__omptarget_reduction_slots
; NO-REMARK
; CHECK: define internal void @copy(
; CHECK: store volatile i32

target triple = "nvptx64-nvidia-cuda"
%ident = type { i32, i32, i32, i32, ptr }
%config = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }
%environment = type { %config, ptr, ptr }
@where = private constant %ident zeroinitializer
@k_kernel_environment = constant %environment { %config { i8 0, i8 1, i8 2, i32 1, i32 128, i32 0, i32 0, i32 0, i32 0 }, ptr @where, ptr null }
@__openmp_nvptx_data_transfer_temporary_storage = weak addrspace(3) global [32 x i32] undef

define ptx_kernel void @k(ptr %dyn, ptr %sum) "nvvm.maxntid"="128" {
entry:
  %args = alloca [1 x ptr]
  %t = call i32 @__kmpc_target_init(ptr @k_kernel_environment, ptr %dyn)
  %u = icmp eq i32 %t, -1
  br i1 %u, label %user, label %exit
user:
  %g = call i32 @__kmpc_global_thread_num(ptr @where)
  store ptr %sum, ptr %args
  call void @__kmpc_parallel_60(ptr @where, i32 %g, i32 1, i32 -1, i32 -1, ptr @region, ptr null, ptr %args, i64 1, i32 0)
  call void @__kmpc_target_deinit()
  ret void
exit:
  ret void
}

define internal void @region(ptr %gtid, ptr %btid, ptr %sum) {
  %own = alloca double
  %list = alloca [1 x ptr]
  store double 1.0, ptr %own
  store ptr %own, ptr %list
  %has = call i32 @__kmpc_nvptx_parallel_reduce_nowait_v2(ptr @where, i64 8, ptr %list, ptr @shuffle, ptr @copy)
  %is = icmp eq i32 %has, 1
  br i1 %is, label %one, label %done
one:
  %v = load double, ptr %own
  store double %v, ptr %sum
  br label %done
done:
  ret void
}

define internal void @copy(ptr %list, i32 %count) {
  %old.thread = call i32 @__kmpc_get_hardware_thread_id_in_block()
  %old.lane = and i32 %old.thread, 31
  %old.warp = ashr i32 %old.thread, 5
  %old.number = call i32 @__kmpc_global_thread_num(ptr @where)
  %old.first = icmp eq i32 %old.lane, 0
  %old.reads = icmp ult i32 %old.thread, %count
  %slot = getelementptr inbounds [32 x i32], ptr addrspace(3) @__openmp_nvptx_data_transfer_temporary_storage, i64 0, i32 %old.warp
  %source = getelementptr inbounds [32 x i32], ptr addrspace(3) @__openmp_nvptx_data_transfer_temporary_storage, i64 0, i32 %old.thread
  br label %b0
b0:
  br label %h0
h0:
  %i0 = phi i32 [ 0, %b0 ], [ %j0, %n0 ]
  %c0 = icmp ult i32 %i0, 33
  br i1 %c0, label %l0, label %b1
l0:
  call void @__kmpc_barrier(ptr @where, i32 %old.number)
  br i1 %old.first, label %w0, label %m0
w0:
  %wl0 = getelementptr i8, ptr %list, i64 0
  %wp0 = load ptr, ptr %wl0
  %wa0 = getelementptr i32, ptr %wp0, i32 %i0
  %wv0 = load i32, ptr %wa0
  store volatile i32 %wv0, ptr addrspace(3) %slot
  br label %m0
m0:
  call void @__kmpc_barrier(ptr @where, i32 %old.number)
  br i1 %old.reads, label %r0, label %n0
r0:
  %rl0 = getelementptr i8, ptr %list, i64 0
  %rp0 = load ptr, ptr %rl0
  %ra0 = getelementptr i32, ptr %rp0, i32 %i0
  %rv0 = load volatile i32, ptr addrspace(3) %source
  store i32 %rv0, ptr %ra0
  br label %n0
n0:
  %j0 = add nsw i32 %i0, 1
  br label %h0
b1:
  ret void
}

define internal void @shuffle(ptr %list, i16 %lane, i16 %offset, i16 %algorithm) {
  ret void
}

declare i32 @__kmpc_target_init(ptr, ptr)
declare void @__kmpc_target_deinit()
declare i32 @__kmpc_global_thread_num(ptr)
declare i32 @__kmpc_get_hardware_thread_id_in_block()
declare void @__kmpc_barrier(ptr, i32)
declare void @__kmpc_parallel_60(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64, i32)
declare i32 @__kmpc_nvptx_parallel_reduce_nowait_v2(ptr, i64, ptr, ptr, ptr)
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
