; src/sync/atomic16.rs: the atomics of the machine for the whole system, and the locks for all other objects.

@__devrtl_atomic_lock_table = internal addrspace(1) global [256 x i32] zeroinitializer, align 4
define linkonce_odr hidden ptr @__devrtl_atomic_locks() #0 {
  ret ptr addrspacecast (ptr addrspace(1) @__devrtl_atomic_lock_table to ptr)
}
define linkonce_odr hidden i8 @__devrtl_atomic_load_u8(ptr %p) #0 {
  fence seq_cst
  %r = load atomic i8, ptr %p acquire, align 1
  ret i8 %r
}
define linkonce_odr hidden i8 @__devrtl_atomic_swap_u8(ptr %p, i8 %v) #0 {
  fence seq_cst
  %r = atomicrmw xchg ptr %p, i8 %v monotonic, align 1
  fence seq_cst
  ret i8 %r
}
define linkonce_odr hidden i8 @__devrtl_atomic_cas_u8(ptr %p, i8 %old, i8 %new) #0 {
  fence seq_cst
  %pair = cmpxchg ptr %p, i8 %old, i8 %new monotonic monotonic, align 1
  %r = extractvalue { i8, i1 } %pair, 0
  fence seq_cst
  ret i8 %r
}
define linkonce_odr hidden i16 @__devrtl_atomic_load_u16(ptr %p) #0 {
  fence seq_cst
  %r = load atomic i16, ptr %p acquire, align 2
  ret i16 %r
}
define linkonce_odr hidden i16 @__devrtl_atomic_swap_u16(ptr %p, i16 %v) #0 {
  fence seq_cst
  %r = atomicrmw xchg ptr %p, i16 %v monotonic, align 2
  fence seq_cst
  ret i16 %r
}
define linkonce_odr hidden i16 @__devrtl_atomic_cas_u16(ptr %p, i16 %old, i16 %new) #0 {
  fence seq_cst
  %pair = cmpxchg ptr %p, i16 %old, i16 %new monotonic monotonic, align 2
  %r = extractvalue { i16, i1 } %pair, 0
  fence seq_cst
  ret i16 %r
}
define linkonce_odr hidden i32 @__devrtl_atomic_load_u32(ptr %p) #0 {
  fence seq_cst
  %r = load atomic i32, ptr %p acquire, align 4
  ret i32 %r
}
define linkonce_odr hidden i32 @__devrtl_atomic_swap_u32(ptr %p, i32 %v) #0 {
  fence seq_cst
  %r = atomicrmw xchg ptr %p, i32 %v monotonic, align 4
  fence seq_cst
  ret i32 %r
}
define linkonce_odr hidden i32 @__devrtl_atomic_cas_u32(ptr %p, i32 %old, i32 %new) #0 {
  fence seq_cst
  %pair = cmpxchg ptr %p, i32 %old, i32 %new monotonic monotonic, align 4
  %r = extractvalue { i32, i1 } %pair, 0
  fence seq_cst
  ret i32 %r
}
define linkonce_odr hidden i64 @__devrtl_atomic_load_u64(ptr %p) #0 {
  fence seq_cst
  %r = load atomic i64, ptr %p acquire, align 8
  ret i64 %r
}
define linkonce_odr hidden i64 @__devrtl_atomic_swap_u64(ptr %p, i64 %v) #0 {
  fence seq_cst
  %r = atomicrmw xchg ptr %p, i64 %v monotonic, align 8
  fence seq_cst
  ret i64 %r
}
define linkonce_odr hidden i64 @__devrtl_atomic_cas_u64(ptr %p, i64 %old, i64 %new) #0 {
  fence seq_cst
  %pair = cmpxchg ptr %p, i64 %old, i64 %new monotonic monotonic, align 8
  %r = extractvalue { i64, i1 } %pair, 0
  fence seq_cst
  ret i64 %r
}

attributes #0 = { alwaysinline nounwind "llvm.assume"="ompx_no_call_asm" }
