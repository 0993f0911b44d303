; The machine layer of src/arch.rs. Names of LLVM 22's intrinsics; helpers that converge are marked so, and promise
; openmp-opt that no inline assembly is behind them.

define linkonce_odr hidden i32 @__devrtl_tid() #0 {
  %r = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ret i32 %r
}
define linkonce_odr hidden i32 @__devrtl_ntid() #0 {
  %r = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  ret i32 %r
}
define linkonce_odr hidden i32 @__devrtl_ctaid() #0 {
  %r = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  ret i32 %r
}
define linkonce_odr hidden i32 @__devrtl_nctaid() #0 {
  %r = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  ret i32 %r
}
define linkonce_odr hidden i32 @__devrtl_tid_of(i32 %dim) #0 {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %z = call i32 @llvm.nvvm.read.ptx.sreg.tid.z()
  %r = call i32 @__devrtl_select(i32 %dim, i32 %x, i32 %y, i32 %z)
  ret i32 %r
}
define linkonce_odr hidden i32 @__devrtl_ctaid_of(i32 %dim) #0 {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %z = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()
  %r = call i32 @__devrtl_select(i32 %dim, i32 %x, i32 %y, i32 %z)
  ret i32 %r
}
define linkonce_odr hidden i32 @__devrtl_ntid_of(i32 %dim) #0 {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  %z = call i32 @llvm.nvvm.read.ptx.sreg.ntid.z()
  %r = call i32 @__devrtl_select(i32 %dim, i32 %x, i32 %y, i32 %z)
  ret i32 %r
}
define linkonce_odr hidden i32 @__devrtl_nctaid_of(i32 %dim) #0 {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
  %z = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.z()
  %r = call i32 @__devrtl_select(i32 %dim, i32 %x, i32 %y, i32 %z)
  ret i32 %r
}
define linkonce_odr hidden i32 @__devrtl_select(i32 %dim, i32 %x, i32 %y, i32 %z) #0 {
  %is_x = icmp eq i32 %dim, 0
  %is_y = icmp eq i32 %dim, 1
  %yz = select i1 %is_y, i32 %y, i32 %z
  %r = select i1 %is_x, i32 %x, i32 %yz
  ret i32 %r
}
define linkonce_odr hidden i32 @__devrtl_opaque_32(i32 %value) #0 {
  %r = call i32 asm "", "=r,0"(i32 %value)
  ret i32 %r
}
define linkonce_odr hidden i64 @__devrtl_opaque_64(i64 %value) #0 {
  %r = call i64 asm "", "=l,0"(i64 %value)
  ret i64 %r
}
define linkonce_odr hidden ptr @__devrtl_beside(ptr %value, ptr %function) #0 {
  %r = call ptr asm "", "=l,0,l"(ptr %value, ptr %function)
  ret ptr %r
}
; A loop that stays one, for rare code: LLVM and ptxas would unroll it.
define linkonce_odr hidden void @__devrtl_clear(ptr %memory, i32 %bytes) #0 {
  br label %loop
loop:
  %left = phi i32 [ %bytes, %0 ], [ %next, %loop ]
  %next = sub nuw i32 %left, 16
  %place = getelementptr i8, ptr %memory, i32 %next
  store volatile <4 x i32> zeroinitializer, ptr %place, align 16
  %more = icmp ne i32 %next, 0
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}
define linkonce_odr hidden double @__devrtl_root(double %x) #0 {
  %r = call double @llvm.sqrt.f64(double %x)
  ret double %r
}

define linkonce_odr hidden i64 @__devrtl_globaltimer() #0 {
  %r = call i64 @llvm.nvvm.read.ptx.sreg.globaltimer()
  ret i64 %r
}

@__devrtl_arch_name = linkonce_odr hidden unnamed_addr constant [12 x i8] c"__CUDA_ARCH\00"
define linkonce_odr hidden i32 @__devrtl_cuda_arch() #0 {
  %r = call i32 @__nvvm_reflect(ptr @__devrtl_arch_name)
  ret i32 %r
}

; Barriers, shuffles, votes.
define linkonce_odr hidden i32 @__devrtl_activemask() #1 {
  %r = call i32 @llvm.nvvm.activemask()
  ret i32 %r
}
define linkonce_odr hidden i32 @__devrtl_lanes_before() #0 {
  %r = call i32 @llvm.nvvm.read.ptx.sreg.lanemask.lt()
  ret i32 %r
}
define linkonce_odr hidden void @__devrtl_syncthreads() #1 {
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  ret void
}
define linkonce_odr hidden void @__devrtl_barrier(i32 %id) #1 {
  call void @llvm.nvvm.barrier.cta.sync.all(i32 %id)
  ret void
}
define linkonce_odr hidden void @__devrtl_barrier_count(i32 %id, i32 %threads) #1 {
  call void @llvm.nvvm.barrier.cta.sync.count(i32 %id, i32 %threads)
  ret void
}
define linkonce_odr hidden void @__devrtl_syncwarp(i32 %mask) #1 {
  call void @llvm.nvvm.bar.warp.sync(i32 %mask)
  ret void
}
; The clamp operand holds the segment mask above bit 8 and the last lane of a segment below.
define linkonce_odr hidden i32 @__devrtl_shuffle_down(i32 %mask, i32 %value, i32 %offset, i32 %width) #1 {
  %segment = sub i32 32, %width
  %above = shl i32 %segment, 8
  %clamp = or i32 %above, 31
  %r = call i32 @llvm.nvvm.shfl.sync.down.i32(i32 %mask, i32 %value, i32 %offset, i32 %clamp)
  ret i32 %r
}
define linkonce_odr hidden i32 @__devrtl_shuffle(i32 %mask, i32 %value, i32 %lane) #1 {
  %r = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 %mask, i32 %value, i32 %lane, i32 31)
  ret i32 %r
}
define linkonce_odr hidden i32 @__devrtl_ballot(i32 %mask, i1 zeroext %predicate) #1 {
  %r = call i32 @llvm.nvvm.vote.ballot.sync(i32 %mask, i1 %predicate)
  ret i32 %r
}

; Fences and atomics. LLVM 22 emits an atomicrmw without its memory order (PTX: relaxed), so the order is a fence; loads,
; stores and cmpxchg keep theirs.
define linkonce_odr hidden void @__devrtl_fence_device() #0 {
  fence syncscope("device") seq_cst
  ret void
}
define linkonce_odr hidden i32 @__devrtl_block_add_u32(ptr %p, i32 %v) #0 {
  fence syncscope("block") release
  %r = atomicrmw add ptr %p, i32 %v syncscope("block") monotonic, align 4
  fence syncscope("block") acquire
  ret i32 %r
}
; ptxas makes an addition of several lanes one, and hands out what each would have found with shuffles. It knows an increment
; without a bound as an addition; this one it leaves alone.
define linkonce_odr hidden i32 @__devrtl_block_inc_u32(ptr %p) #0 {
  fence syncscope("block") release
  %r = atomicrmw uinc_wrap ptr %p, i32 -2 syncscope("block") monotonic, align 4
  fence syncscope("block") acquire
  ret i32 %r
}
define linkonce_odr hidden i32 @__devrtl_block_or_u32(ptr %p, i32 %v) #0 {
  %r = atomicrmw or ptr %p, i32 %v syncscope("block") monotonic, align 4
  fence syncscope("block") acquire
  ret i32 %r
}
define linkonce_odr hidden i32 @__devrtl_block_and_u32(ptr %p, i32 %v) #0 {
  fence syncscope("block") release
  %r = atomicrmw and ptr %p, i32 %v syncscope("block") monotonic, align 4
  ret i32 %r
}
define linkonce_odr hidden i64 @__devrtl_block_or_u64(ptr %p, i64 %v) #0 {
  %r = atomicrmw or ptr %p, i64 %v syncscope("block") monotonic, align 8
  fence syncscope("block") acquire
  ret i64 %r
}
define linkonce_odr hidden i64 @__devrtl_block_and_u64(ptr %p, i64 %v) #0 {
  fence syncscope("block") release
  %r = atomicrmw and ptr %p, i64 %v syncscope("block") monotonic, align 8
  ret i64 %r
}
define linkonce_odr hidden i32 @__devrtl_block_cas_u32(ptr %p, i32 %old, i32 %new) #0 {
  %pair = cmpxchg ptr %p, i32 %old, i32 %new syncscope("block") acq_rel acquire, align 4
  %r = extractvalue { i32, i1 } %pair, 0
  ret i32 %r
}
define linkonce_odr hidden i32 @__devrtl_block_load_u32(ptr %p) #0 {
  %r = load atomic i32, ptr %p syncscope("block") acquire, align 4
  ret i32 %r
}
define linkonce_odr hidden void @__devrtl_block_store_u32(ptr %p, i32 %v) #0 {
  store atomic i32 %v, ptr %p syncscope("block") release, align 4
  ret void
}
define linkonce_odr hidden i32 @__devrtl_block_read_u32(ptr %p) #0 {
  %r = load atomic i32, ptr %p syncscope("block") monotonic, align 4
  ret i32 %r
}
define linkonce_odr hidden void @__devrtl_block_write_u32(ptr %p, i32 %v) #0 {
  store atomic i32 %v, ptr %p syncscope("block") monotonic, align 4
  ret void
}
define linkonce_odr hidden i64 @__devrtl_block_read_u64(ptr %p) #0 {
  %r = load atomic i64, ptr %p syncscope("block") monotonic, align 8
  ret i64 %r
}
define linkonce_odr hidden void @__devrtl_block_write_u64(ptr %p, i64 %v) #0 {
  store atomic i64 %v, ptr %p syncscope("block") monotonic, align 8
  ret void
}
define linkonce_odr hidden i32 @__devrtl_block_count_u32(ptr %p, i32 %v) #0 {
  %r = atomicrmw add ptr %p, i32 %v syncscope("block") monotonic, align 4
  ret i32 %r
}
define linkonce_odr hidden i32 @__devrtl_block_count_one_u32(ptr %p) #0 {
  %r = atomicrmw uinc_wrap ptr %p, i32 -2 syncscope("block") monotonic, align 4
  ret i32 %r
}
define linkonce_odr hidden void @__devrtl_block_xor_u32(ptr %p, i32 %v) #0 {
  %r = atomicrmw xor ptr %p, i32 %v syncscope("block") monotonic, align 4
  ret void
}
define linkonce_odr hidden i64 @__devrtl_block_swap_u64(ptr %p, i64 %v) #0 {
  %r = atomicrmw xchg ptr %p, i64 %v syncscope("block") monotonic, align 8
  ret i64 %r
}
define linkonce_odr hidden i64 @__devrtl_block_cas_u64(ptr %p, i64 %old, i64 %new) #0 {
  %pair = cmpxchg ptr %p, i64 %old, i64 %new syncscope("block") monotonic monotonic, align 8
  %r = extractvalue { i64, i1 } %pair, 0
  ret i64 %r
}
define linkonce_odr hidden i64 @__devrtl_block_load_u64(ptr %p) #0 {
  %r = load atomic i64, ptr %p syncscope("block") acquire, align 8
  ret i64 %r
}
define linkonce_odr hidden void @__devrtl_block_store_u64(ptr %p, i64 %v) #0 {
  store atomic i64 %v, ptr %p syncscope("block") release, align 8
  ret void
}
define linkonce_odr hidden i32 @__devrtl_device_inc_u32(ptr %p, i32 %bound) #0 {
  fence syncscope("device") release
  %r = atomicrmw uinc_wrap ptr %p, i32 %bound syncscope("device") monotonic, align 4
  fence syncscope("device") acquire
  ret i32 %r
}
define linkonce_odr hidden i32 @__devrtl_device_cas_u32(ptr %p, i32 %old, i32 %new) #0 {
  %pair = cmpxchg ptr %p, i32 %old, i32 %new syncscope("device") acquire monotonic, align 4
  %r = extractvalue { i32, i1 } %pair, 0
  ret i32 %r
}
define linkonce_odr hidden i64 @__devrtl_device_cas_u64(ptr %p, i64 %old, i64 %new) #0 {
  %pair = cmpxchg ptr %p, i64 %old, i64 %new syncscope("device") acq_rel acquire, align 8
  %r = extractvalue { i64, i1 } %pair, 0
  ret i64 %r
}
define linkonce_odr hidden i32 @__devrtl_unordered_load_u32(ptr %p) #0 {
  %r = load atomic i32, ptr %p unordered, align 4
  ret i32 %r
}
define linkonce_odr hidden i32 @__devrtl_device_load_u32(ptr %p) #0 {
  %r = load atomic i32, ptr %p syncscope("device") acquire, align 4
  ret i32 %r
}
; An exchange and not a store: openmp-opt moves a local lock to shared memory and deletes stores to it, because it does
; not count the cmpxchg of the waiting threads as a read.
define linkonce_odr hidden void @__devrtl_device_store_u32(ptr %p, i32 %v) #0 {
  fence syncscope("device") release
  %old = atomicrmw xchg ptr %p, i32 %v syncscope("device") monotonic, align 4
  ret void
}
define linkonce_odr hidden i64 @__devrtl_device_add_u64(ptr %p, i64 %v) #0 {
  %r = atomicrmw add ptr %p, i64 %v syncscope("device") monotonic, align 8
  ret i64 %r
}
define linkonce_odr hidden void @__devrtl_device_store_u64(ptr %p, i64 %v) #0 {
  fence syncscope("device") release
  %old = atomicrmw xchg ptr %p, i64 %v syncscope("device") monotonic, align 8
  ret void
}
; `nanosleep` came with Volta; before it there is nothing better than to try again.
define linkonce_odr hidden void @__devrtl_backoff(i32 %nanoseconds) #0 {
  %arch = call i32 @__devrtl_cuda_arch()
  %has = icmp uge i32 %arch, 700
  br i1 %has, label %sleep, label %done
sleep:
  call void @llvm.nvvm.nanosleep(i32 %nanoseconds)
  br label %done
done:
  ret void
}

; Memory. `malloc` and `free` have the attributes by which LLVM knows an allocator.
define linkonce_odr hidden ptr @__devrtl_malloc(i64 %bytes) #0 {
  %r = call noalias ptr @malloc(i64 %bytes)
  ret ptr %r
}
define linkonce_odr hidden void @__devrtl_free(ptr %p) #0 {
  call void @free(ptr %p)
  ret void
}
define linkonce_odr hidden zeroext i1 @__devrtl_is_shared(ptr %p) #0 {
  %r = call i1 @llvm.nvvm.isspacep.shared(ptr %p)
  ret i1 %r
}
define linkonce_odr hidden zeroext i1 @__devrtl_is_local(ptr %p) #0 {
  %r = call i1 @llvm.nvvm.isspacep.local(ptr %p)
  ret i1 %r
}
@__devrtl_dynamic_shared_memory = external hidden addrspace(3) global [0 x i8], align 16
define linkonce_odr hidden ptr @__devrtl_dynamic_shared() #0 {
  ret ptr addrspacecast (ptr addrspace(3) @__devrtl_dynamic_shared_memory to ptr)
}
define linkonce_odr hidden i32 @__devrtl_dynamic_shared_size() #0 {
  %r = call i32 @llvm.nvvm.read.ptx.sreg.dynamic_smem_size()
  ret i32 %r
}

; For the compiler only. Without a clobber of memory: values that are known are not read once more.
define linkonce_odr hidden void @__devrtl_others_write() #0 {
  call void asm sideeffect "", ""() memory(inaccessiblemem: readwrite) nounwind
  ret void
}
define linkonce_odr hidden void @__devrtl_show(ptr %memory) #0 {
  call void asm sideeffect "", "l"(ptr %memory) nounwind
  ret void
}
define linkonce_odr hidden void @__devrtl_trap() #2 {
  call void @llvm.trap()
  unreachable
}

attributes #0 = { alwaysinline nounwind "llvm.assume"="ompx_no_call_asm" }
attributes #1 = { alwaysinline convergent nounwind "llvm.assume"="ompx_no_call_asm" }
attributes #2 = { alwaysinline noreturn nounwind "llvm.assume"="ompx_no_call_asm" }

declare double @llvm.sqrt.f64(double)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.z()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.z()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.z()
declare i32 @llvm.nvvm.read.ptx.sreg.dynamic_smem_size()
declare i64 @llvm.nvvm.read.ptx.sreg.globaltimer()
declare i32 @llvm.nvvm.activemask()
declare i32 @llvm.nvvm.read.ptx.sreg.lanemask.lt()
declare void @llvm.trap() noreturn
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.barrier.cta.sync.all(i32)
declare void @llvm.nvvm.barrier.cta.sync.count(i32, i32)
declare void @llvm.nvvm.bar.warp.sync(i32)
declare i32 @llvm.nvvm.shfl.sync.down.i32(i32, i32, i32, i32)
declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)
declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)
declare void @llvm.nvvm.nanosleep(i32)
declare i1 @llvm.nvvm.isspacep.shared(ptr)
declare i1 @llvm.nvvm.isspacep.local(ptr)
declare i32 @__nvvm_reflect(ptr)
declare noalias noundef ptr @malloc(i64 noundef) nofree nounwind willreturn allockind("alloc,uninitialized") allocsize(0) memory(inaccessiblemem: readwrite) "alloc-family"="malloc"
declare void @free(ptr allocptr captures(none) noundef) nounwind willreturn allockind("free") memory(argmem: readwrite, inaccessiblemem: readwrite) "alloc-family"="malloc"

!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
