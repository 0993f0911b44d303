; Variables of all sizes, each whole and aligned: a loop over pieces, the same unrolled, and a variable behind another pointer.
; REMARK: The warps hand over what they have reduced at once, behind one barrier, instead of in 11 pieces. [OMPR110]
; COUNT: 1 call void @__kmpc_barrier(
; CHECK: @__omptarget_reduction_slots_256 = weak
; CHECK: define internal void @copy(
; CHECK: mul i32 %warp, 48
; CHECK: load i8, ptr <*>, align 1
; CHECK-NEXT: store i8 <*>, align 1
; CHECK: load i16, ptr <*>, align 2
; CHECK-NEXT: store i16 <*>, align 2
; CHECK: getelementptr inbounds i8, ptr addrspace(3) <*>, i32 4
; CHECK-NEXT: load i32, ptr <*>, align 4
; CHECK-NEXT: store i32 <*>, align 4
; CHECK: getelementptr inbounds i8, ptr addrspace(3) <*>, i32 8
; CHECK-NEXT: load i64, ptr <*>, align 4
; CHECK-NEXT: store i64 <*>, align 8
; CHECK: getelementptr inbounds i8, ptr addrspace(3) <*>, i32 16
; CHECK-NEXT: load i64, ptr <*>, align 4
; CHECK: getelementptr inbounds i8, ptr addrspace(3) <*>, i32 24
; CHECK-NEXT: load i32, ptr <*>, align 4
; CHECK: getelementptr inbounds i8, ptr addrspace(3) <*>, i32 32
; CHECK-NEXT: load i64, ptr <*>, align 4
; CHECK: getelementptr inbounds i8, ptr %list, i64 48
; CHECK-NEXT: <*> = load ptr
; CHECK: call void @__kmpc_barrier(

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
  call void @__kmpc_barrier(ptr @where, i32 %old.number)
  br i1 %old.first, label %w0, label %m0
w0:
  %wl0 = getelementptr i8, ptr %list, i64 0
  %wp0 = load ptr, ptr %wl0
  %wa0 = getelementptr i8, ptr %wp0, i64 0
  %wv0 = load i8, ptr %wa0, align 1
  store volatile i8 %wv0, ptr addrspace(3) %slot
  br label %m0
m0:
  call void @__kmpc_barrier(ptr @where, i32 %old.number)
  br i1 %old.reads, label %r0, label %b1
r0:
  %rl0 = getelementptr i8, ptr %list, i64 0
  %rp0 = load ptr, ptr %rl0
  %ra0 = getelementptr i8, ptr %rp0, i64 0
  %rv0 = load volatile i8, ptr addrspace(3) %source
  store i8 %rv0, ptr %ra0, align 1
  br label %b1
b1:
  call void @__kmpc_barrier(ptr @where, i32 %old.number)
  br i1 %old.first, label %w1, label %m1
w1:
  %wl1 = getelementptr i8, ptr %list, i64 8
  %wp1 = load ptr, ptr %wl1
  %wa1 = getelementptr i8, ptr %wp1, i64 0
  %wv1 = load i16, ptr %wa1, align 2
  store volatile i16 %wv1, ptr addrspace(3) %slot
  br label %m1
m1:
  call void @__kmpc_barrier(ptr @where, i32 %old.number)
  br i1 %old.reads, label %r1, label %b2
r1:
  %rl1 = getelementptr i8, ptr %list, i64 8
  %rp1 = load ptr, ptr %rl1
  %ra1 = getelementptr i8, ptr %rp1, i64 0
  %rv1 = load volatile i16, ptr addrspace(3) %source
  store i16 %rv1, ptr %ra1, align 2
  br label %b2
b2:
  call void @__kmpc_barrier(ptr @where, i32 %old.number)
  br i1 %old.first, label %w2, label %m2
w2:
  %wl2 = getelementptr i8, ptr %list, i64 16
  %wp2 = load ptr, ptr %wl2
  %wa2 = getelementptr i8, ptr %wp2, i64 0
  %wv2 = load i32, ptr %wa2, align 4
  store volatile i32 %wv2, ptr addrspace(3) %slot
  br label %m2
m2:
  call void @__kmpc_barrier(ptr @where, i32 %old.number)
  br i1 %old.reads, label %r2, label %b3
r2:
  %rl2 = getelementptr i8, ptr %list, i64 16
  %rp2 = load ptr, ptr %rl2
  %ra2 = getelementptr i8, ptr %rp2, i64 0
  %rv2 = load volatile i32, ptr addrspace(3) %source
  store i32 %rv2, ptr %ra2, align 4
  br label %b3
b3:
  br label %h3
h3:
  %i3 = phi i32 [ 0, %b3 ], [ %j3, %n3 ]
  %c3 = icmp ult i32 %i3, 2
  br i1 %c3, label %l3, label %b4
l3:
  call void @__kmpc_barrier(ptr @where, i32 %old.number)
  br i1 %old.first, label %w3, label %m3
w3:
  %wl3 = getelementptr i8, ptr %list, i64 24
  %wp3 = load ptr, ptr %wl3
  %wa3 = getelementptr i32, ptr %wp3, i32 %i3
  %wv3 = load i32, ptr %wa3
  store volatile i32 %wv3, ptr addrspace(3) %slot
  br label %m3
m3:
  call void @__kmpc_barrier(ptr @where, i32 %old.number)
  br i1 %old.reads, label %r3, label %n3
r3:
  %rl3 = getelementptr i8, ptr %list, i64 24
  %rp3 = load ptr, ptr %rl3
  %ra3 = getelementptr i32, ptr %rp3, i32 %i3
  %rv3 = load volatile i32, ptr addrspace(3) %source
  store i32 %rv3, ptr %ra3
  br label %n3
n3:
  %j3 = add nsw i32 %i3, 1
  br label %h3
b4:
  br label %h4
h4:
  %i4 = phi i32 [ 0, %b4 ], [ %j4, %n4 ]
  %c4 = icmp ult i32 %i4, 3
  br i1 %c4, label %l4, label %b5
l4:
  call void @__kmpc_barrier(ptr @where, i32 %old.number)
  br i1 %old.first, label %w4, label %m4
w4:
  %wl4 = getelementptr i8, ptr %list, i64 32
  %wp4 = load ptr, ptr %wl4
  %wa4 = getelementptr i32, ptr %wp4, i32 %i4
  %wv4 = load i32, ptr %wa4
  store volatile i32 %wv4, ptr addrspace(3) %slot
  br label %m4
m4:
  call void @__kmpc_barrier(ptr @where, i32 %old.number)
  br i1 %old.reads, label %r4, label %n4
r4:
  %rl4 = getelementptr i8, ptr %list, i64 32
  %rp4 = load ptr, ptr %rl4
  %ra4 = getelementptr i32, ptr %rp4, i32 %i4
  %rv4 = load volatile i32, ptr addrspace(3) %source
  store i32 %rv4, ptr %ra4
  br label %n4
n4:
  %j4 = add nsw i32 %i4, 1
  br label %h4
b5:
  call void @__kmpc_barrier(ptr @where, i32 %old.number)
  br i1 %old.first, label %w5, label %m5
w5:
  %wl5 = getelementptr i8, ptr %list, i64 40
  %wp5 = load ptr, ptr %wl5
  %wa5 = getelementptr i8, ptr %wp5, i64 0
  %wv5 = load i32, ptr %wa5, align 4
  store volatile i32 %wv5, ptr addrspace(3) %slot
  br label %m5
m5:
  call void @__kmpc_barrier(ptr @where, i32 %old.number)
  br i1 %old.reads, label %r5, label %b6
r5:
  %rl5 = getelementptr i8, ptr %list, i64 40
  %rp5 = load ptr, ptr %rl5
  %ra5 = getelementptr i8, ptr %rp5, i64 0
  %rv5 = load volatile i32, ptr addrspace(3) %source
  store i32 %rv5, ptr %ra5, align 4
  br label %b6
b6:
  call void @__kmpc_barrier(ptr @where, i32 %old.number)
  br i1 %old.first, label %w6, label %m6
w6:
  %wl6 = getelementptr i8, ptr %list, i64 40
  %wp6 = load ptr, ptr %wl6
  %wa6 = getelementptr i8, ptr %wp6, i64 4
  %wv6 = load i32, ptr %wa6, align 4
  store volatile i32 %wv6, ptr addrspace(3) %slot
  br label %m6
m6:
  call void @__kmpc_barrier(ptr @where, i32 %old.number)
  br i1 %old.reads, label %r6, label %b7
r6:
  %rl6 = getelementptr i8, ptr %list, i64 40
  %rp6 = load ptr, ptr %rl6
  %ra6 = getelementptr i8, ptr %rp6, i64 4
  %rv6 = load volatile i32, ptr addrspace(3) %source
  store i32 %rv6, ptr %ra6, align 4
  br label %b7
b7:
  call void @__kmpc_barrier(ptr @where, i32 %old.number)
  br i1 %old.first, label %w7, label %m7
w7:
  %wl7 = getelementptr i8, ptr %list, i64 48
  %wp7 = load ptr, ptr %wl7
  %wq7_0 = load ptr, ptr %wp7
  %wa7 = getelementptr i8, ptr %wq7_0, i64 0
  %wv7 = load i32, ptr %wa7, align 4
  store volatile i32 %wv7, ptr addrspace(3) %slot
  br label %m7
m7:
  call void @__kmpc_barrier(ptr @where, i32 %old.number)
  br i1 %old.reads, label %r7, label %b8
r7:
  %rl7 = getelementptr i8, ptr %list, i64 48
  %rp7 = load ptr, ptr %rl7
  %rq7_0 = load ptr, ptr %rp7
  %ra7 = getelementptr i8, ptr %rq7_0, i64 0
  %rv7 = load volatile i32, ptr addrspace(3) %source
  store i32 %rv7, ptr %ra7, align 4
  br label %b8
b8:
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
