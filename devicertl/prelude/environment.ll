; Constants that clang defines in every module unless told not to, and what the host writes after loading an image.

@__omp_rtl_debug_kind = weak hidden local_unnamed_addr constant i32 0, align 4
@__omp_rtl_assume_no_thread_state = weak hidden local_unnamed_addr constant i32 0, align 4
@__omp_rtl_assume_no_nested_parallelism = weak hidden local_unnamed_addr constant i32 0, align 4

; abi::attribute::LONE_BARRIERS
@__omptarget_lone_barriers = weak hidden global i32 0, align 4
; abi::attribute::LONE_REGIONS
@__omptarget_lone_regions = weak hidden global i32 0, align 4

; abi::device::DeviceEnvironment
@__omp_rtl_device_environment = weak protected addrspace(4) global { i32, i32, i32, i32, i64, i64, i64, i64 } undef, align 8

; The host looks it up by name.
@llvm.used = appending global [1 x ptr] [ptr addrspacecast (ptr addrspace(4) @__omp_rtl_device_environment to ptr)], section "llvm.metadata"

; openmp-opt calls these after -mlink-builtin-bitcode has linked what was referenced until then. Appending globals are
; always linked, so they stay available and are inlined. Only functions that touch no state may stand here.
@llvm.compiler.used = appending global [5 x ptr] [ptr @__kmpc_get_hardware_thread_id_in_block, ptr @__kmpc_get_hardware_num_threads_in_block, ptr @__kmpc_get_warp_size, ptr @__kmpc_barrier_simple_spmd, ptr @__kmpc_barrier_simple_generic], section "llvm.metadata"

declare i32 @__kmpc_get_hardware_thread_id_in_block()
declare i32 @__kmpc_get_hardware_num_threads_in_block()
declare i32 @__kmpc_get_warp_size()
declare void @__kmpc_barrier_simple_spmd(ptr, i32)
declare void @__kmpc_barrier_simple_generic(ptr, i32)
