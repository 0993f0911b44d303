//! The rows of the function table, in one order that holds for every version.
//!
//! A row reads: number in LLVM 20 and 21 (`-` if it is not there), name, signature of the oldest version that has
//! it, owner and category; then `@host` for what makes sense on the host only, `since` and `until` where not every
//! version has the function, and `then <version> <signature>` where a version changed the signature.

use super::{Category, Entry, Llvm, Owner, Signature, Type};

macro_rules! entries {
    (@index -) => { None };
    (@index $index:literal) => { Some($index) };
    (@host) => { false };
    (@host host) => { true };
    (@varargs) => { false };
    (@varargs ...) => { true };
    (@version $default:ident) => { Llvm::$default };
    (@version $default:ident $major:literal) => {
        match Llvm::from_major($major) {
            Some(llvm) => llvm,
            None => panic!("no such LLVM version"),
        }
    };
    (@changed) => { None };
    (@changed $major:literal $signature:expr) => { Some((entries!(@version V18 $major), $signature)) };
    (@signature $ret:ident ($($param:ident),*) $($varargs:tt)?) => {
        Signature { ret: Type::$ret, params: &[$(Type::$param),*], varargs: entries!(@varargs $($varargs)?) }
    };
    ($(
        $index:tt $name:ident $ret:ident ($($param:ident),* $(; $varargs:tt)?), $owner:ident $category:ident
        $(@ $place:ident)? $(since $since:literal)? $(until $until:literal)?
        $(then $version:literal $new_ret:ident ($($new:ident),*))?;
    )+) => {
        /// Every function of every version. The entries of one version are those for which [`Entry::is_in`] holds,
        /// in this order.
        pub static ENTRIES: [Entry; [$(stringify!($name)),+].len()] = [$(
            Entry {
                index: entries!(@index $index),
                name: stringify!($name),
                owner: Owner::$owner,
                category: Category::$category,
                host_only: entries!(@host $($place)?),
                since: entries!(@version V18 $($since)?),
                until: entries!(@version V22 $($until)?),
                first: entries!(@signature $ret ($($param),*) $($varargs)?),
                changed: entries!(@changed $($version entries!(@signature $new_ret ($($new),*)))?),
            },
        )+];
    };
}

entries! {
      0 __kmpc_barrier Void(Ptr, I32), Both Sync;
      1 __kmpc_cancel I32(Ptr, I32, I32), Both CancelError;
      2 __kmpc_cancel_barrier I32(Ptr, I32), Both Sync;
      3 __kmpc_error Void(Ptr, I32, Ptr), Libomp CancelError;
      4 __kmpc_flush Void(Ptr), Both Sync;
      5 __kmpc_global_thread_num I32(Ptr), Both Query;
      6 __kmpc_get_hardware_thread_id_in_block I32(), Device Query;
      7 __kmpc_fork_call Void(Ptr, I32, Ptr; ...), Libomp Parallel;
      8 __kmpc_fork_call_if Void(Ptr, I32, Ptr, I32, Ptr), Libomp Parallel;
      9 __kmpc_omp_taskwait I32(Ptr, I32), Both Tasking;
     10 __kmpc_omp_taskyield I32(Ptr, I32, I32), Both Tasking;
     11 __kmpc_push_num_threads Void(Ptr, I32, I32), Libomp Parallel;
      - __kmpc_push_num_threads_strict Void(Ptr, I32, I32, I32, Ptr), Libomp Parallel since 22;
     12 __kmpc_push_proc_bind Void(Ptr, I32, I32), Both Parallel;
     13 __kmpc_omp_reg_task_with_affinity I32(Ptr, I32, Ptr, I32, Ptr), Libomp Tasking;
     14 __kmpc_get_hardware_num_blocks I32(), Nobody Query;
     15 __kmpc_get_hardware_num_threads_in_block I32(), Device Query;
     16 __kmpc_get_warp_size I32(), Device Query;
     17 omp_get_thread_num I32(), Both Query;
     18 omp_get_num_threads I32(), Both Query;
     19 omp_get_max_threads I32(), Both Query;
     20 omp_in_parallel I32(), Both Query;
     21 omp_get_dynamic I32(), Both Query;
     22 omp_get_cancellation I32(), Both Query;
     23 omp_get_nested I32(), Both Query;
     24 omp_get_schedule Void(Ptr, Ptr), Both Query;
     25 omp_get_thread_limit I32(), Both Query;
     26 omp_get_supported_active_levels I32(), Libomp Query;
     27 omp_get_max_active_levels I32(), Both Query;
     28 omp_get_level I32(), Both Query;
     29 omp_get_ancestor_thread_num I32(I32), Both Query;
     30 omp_get_team_size I32(I32), Both Query;
     31 omp_get_active_level I32(), Both Query;
     32 omp_in_final I32(), Both Query;
     33 omp_get_proc_bind I32(), Both Query;
     34 omp_get_num_places I32(), Both Query;
     35 omp_get_num_procs I32(), Both Query;
     36 omp_get_place_proc_ids Void(I32, Ptr), Both Query;
     37 omp_get_place_num I32(), Both Query;
     38 omp_get_partition_num_places I32(), Both Query;
     39 omp_get_partition_place_nums Void(Ptr), Both Query;
     40 omp_get_wtime F64(), Both Query;
     41 omp_set_num_threads Void(I32), Both Query;
     42 omp_set_dynamic Void(I32), Both Query;
     43 omp_set_nested Void(I32), Both Query;
     44 omp_set_schedule Void(I32, I32), Both Query;
     45 omp_set_max_active_levels Void(I32), Both Query;
     46 __kmpc_master I32(Ptr, I32), Both Masked;
     47 __kmpc_end_master Void(Ptr, I32), Both Masked;
     48 __kmpc_masked I32(Ptr, I32, I32), Both Masked;
     49 __kmpc_end_masked Void(Ptr, I32), Both Masked;
     50 __kmpc_critical Void(Ptr, I32, Ptr), Both Sync;
     51 __kmpc_critical_with_hint Void(Ptr, I32, Ptr, I32), Libomp Sync;
     52 __kmpc_end_critical Void(Ptr, I32, Ptr), Both Sync;
     53 __kmpc_begin Void(Ptr, I32), Libomp BeginEnd @host;
     54 __kmpc_end Void(Ptr), Libomp BeginEnd @host;
     55 __kmpc_reduce I32(Ptr, I32, I32, I64, Ptr, Ptr, Ptr), Libomp Reduction;
     56 __kmpc_reduce_nowait I32(Ptr, I32, I32, I64, Ptr, Ptr, Ptr), Libomp Reduction;
     57 __kmpc_end_reduce Void(Ptr, I32, Ptr), Libomp Reduction;
     58 __kmpc_end_reduce_nowait Void(Ptr, I32, Ptr), Libomp Reduction;
     59 __kmpc_ordered Void(Ptr, I32), Both Sync;
     60 __kmpc_end_ordered Void(Ptr, I32), Both Sync;
     61 __kmpc_for_static_init_4 Void(Ptr, I32, I32, Ptr, Ptr, Ptr, Ptr, I32, I32), Both Worksharing;
     62 __kmpc_for_static_init_4u Void(Ptr, I32, I32, Ptr, Ptr, Ptr, Ptr, I32, I32), Both Worksharing;
     63 __kmpc_for_static_init_8 Void(Ptr, I32, I32, Ptr, Ptr, Ptr, Ptr, I64, I64), Both Worksharing;
     64 __kmpc_for_static_init_8u Void(Ptr, I32, I32, Ptr, Ptr, Ptr, Ptr, I64, I64), Both Worksharing;
     65 __kmpc_for_static_fini Void(Ptr, I32), Both Worksharing;
     66 __kmpc_distribute_static_init_4 Void(Ptr, I32, I32, Ptr, Ptr, Ptr, Ptr, I32, I32), Device Worksharing;
     67 __kmpc_distribute_static_init_4u
        Void(Ptr, I32, I32, Ptr, Ptr, Ptr, Ptr, I32, I32), Device Worksharing;
     68 __kmpc_distribute_static_init_8 Void(Ptr, I32, I32, Ptr, Ptr, Ptr, Ptr, I64, I64), Device Worksharing;
     69 __kmpc_distribute_static_init_8u
        Void(Ptr, I32, I32, Ptr, Ptr, Ptr, Ptr, I64, I64), Device Worksharing;
     70 __kmpc_distribute_static_fini Void(Ptr, I32), Device Worksharing;
     71 __kmpc_dist_dispatch_init_4 Void(Ptr, I32, I32, Ptr, I32, I32, I32, I32), Libomp Worksharing;
     72 __kmpc_dist_dispatch_init_4u Void(Ptr, I32, I32, Ptr, I32, I32, I32, I32), Libomp Worksharing;
     73 __kmpc_dist_dispatch_init_8 Void(Ptr, I32, I32, Ptr, I64, I64, I64, I64), Libomp Worksharing;
     74 __kmpc_dist_dispatch_init_8u Void(Ptr, I32, I32, Ptr, I64, I64, I64, I64), Libomp Worksharing;
     75 __kmpc_dispatch_init_4 Void(Ptr, I32, I32, I32, I32, I32, I32), Both Worksharing;
     76 __kmpc_dispatch_init_4u Void(Ptr, I32, I32, I32, I32, I32, I32), Both Worksharing;
     77 __kmpc_dispatch_init_8 Void(Ptr, I32, I32, I64, I64, I64, I64), Both Worksharing;
     78 __kmpc_dispatch_init_8u Void(Ptr, I32, I32, I64, I64, I64, I64), Both Worksharing;
     79 __kmpc_dispatch_next_4 I32(Ptr, I32, Ptr, Ptr, Ptr, Ptr), Both Worksharing;
     80 __kmpc_dispatch_next_4u I32(Ptr, I32, Ptr, Ptr, Ptr, Ptr), Both Worksharing;
     81 __kmpc_dispatch_next_8 I32(Ptr, I32, Ptr, Ptr, Ptr, Ptr), Both Worksharing;
     82 __kmpc_dispatch_next_8u I32(Ptr, I32, Ptr, Ptr, Ptr, Ptr), Both Worksharing;
     83 __kmpc_dispatch_fini_4 Void(Ptr, I32), Both Worksharing;
     84 __kmpc_dispatch_fini_4u Void(Ptr, I32), Both Worksharing;
     85 __kmpc_dispatch_fini_8 Void(Ptr, I32), Both Worksharing;
     86 __kmpc_dispatch_fini_8u Void(Ptr, I32), Both Worksharing;
     87 __kmpc_dispatch_deinit Void(Ptr, I32), Both Worksharing since 19;
     88 __kmpc_team_static_init_4 Void(Ptr, I32, Ptr, Ptr, Ptr, Ptr, I32, I32), Libomp Worksharing;
     89 __kmpc_team_static_init_4u Void(Ptr, I32, Ptr, Ptr, Ptr, Ptr, I32, I32), Libomp Worksharing;
     90 __kmpc_team_static_init_8 Void(Ptr, I32, Ptr, Ptr, Ptr, Ptr, I64, I64), Libomp Worksharing;
     91 __kmpc_team_static_init_8u Void(Ptr, I32, Ptr, Ptr, Ptr, Ptr, I64, I64), Libomp Worksharing;
     92 __kmpc_dist_for_static_init_4
        Void(Ptr, I32, I32, Ptr, Ptr, Ptr, Ptr, Ptr, I32, I32), Libomp Worksharing;
     93 __kmpc_dist_for_static_init_4u
        Void(Ptr, I32, I32, Ptr, Ptr, Ptr, Ptr, Ptr, I32, I32), Libomp Worksharing;
     94 __kmpc_dist_for_static_init_8
        Void(Ptr, I32, I32, Ptr, Ptr, Ptr, Ptr, Ptr, I64, I64), Libomp Worksharing;
     95 __kmpc_dist_for_static_init_8u
        Void(Ptr, I32, I32, Ptr, Ptr, Ptr, Ptr, Ptr, I64, I64), Libomp Worksharing;
     96 __kmpc_single I32(Ptr, I32), Both Sync;
     97 __kmpc_end_single Void(Ptr, I32), Both Sync;
     98 __kmpc_omp_task_alloc Ptr(Ptr, I32, I32, I64, I64, Ptr), Both Tasking;
     99 __kmpc_omp_task I32(Ptr, I32, Ptr), Both Tasking;
    100 __kmpc_end_taskgroup Void(Ptr, I32), Both Tasking;
    101 __kmpc_taskgroup Void(Ptr, I32), Both Tasking;
    102 __kmpc_omp_task_begin_if0 Void(Ptr, I32, Ptr), Both Tasking;
    103 __kmpc_omp_task_complete_if0 Void(Ptr, I32, Ptr), Both Tasking;
    104 __kmpc_omp_task_with_deps I32(Ptr, I32, Ptr, I32, Ptr, I32, Ptr), Both Tasking;
    105 __kmpc_taskloop Void(Ptr, I32, Ptr, I32, Ptr, Ptr, I64, I32, I32, I64, Ptr), Both Tasking;
    106 __kmpc_taskloop_5
        Void(Ptr, I32, Ptr, I32, Ptr, Ptr, I64, I32, I32, I64, I32, Ptr), Libomp Tasking since 20;
    107 __kmpc_omp_target_task_alloc Ptr(Ptr, I32, I32, I64, I64, Ptr, I64), Libomp Tasking @host;
    108 __kmpc_taskred_modifier_init Ptr(Ptr, I32, I32, I32, Ptr), Libomp Tasking;
    109 __kmpc_taskred_init Ptr(I32, I32, Ptr), Libomp Tasking;
    110 __kmpc_task_reduction_modifier_fini Void(Ptr, I32, I32), Libomp Tasking;
    111 __kmpc_task_reduction_get_th_data Ptr(I32, Ptr, Ptr), Libomp Tasking;
    112 __kmpc_task_reduction_init Ptr(I32, I32, Ptr), Libomp Tasking;
    113 __kmpc_task_reduction_modifier_init Ptr(Ptr, I32, I32, I32, Ptr), Libomp Tasking;
    114 __kmpc_proxy_task_completed_ooo Void(Ptr), Libomp Tasking @host;
    115 __kmpc_omp_wait_deps Void(Ptr, I32, I32, Ptr, I32, Ptr), Both Tasking;
    116 __kmpc_omp_taskwait_deps_51 Void(Ptr, I32, I32, Ptr, I32, Ptr, I32), Libomp Tasking;
    117 __kmpc_cancellationpoint I32(Ptr, I32, I32), Both CancelError;
    118 __kmpc_fork_teams Void(Ptr, I32, Ptr; ...), Libomp Teams @host;
    119 __kmpc_push_num_teams Void(Ptr, I32, I32, I32), Both Teams;
    120 __kmpc_push_num_teams_51 Void(Ptr, I32, I32, I32, I32), Libomp Teams @host;
    121 __kmpc_set_thread_limit Void(Ptr, I32, I32), Libomp Teams;
    122 __kmpc_copyprivate Void(Ptr, I32, I64, Ptr, Ptr, I32), Libomp DataSharing;
    123 __kmpc_threadprivate_cached Ptr(Ptr, I32, Ptr, I64, Ptr), Libomp DataSharing @host;
    124 __kmpc_threadprivate_register Void(Ptr, Ptr, Ptr, Ptr, Ptr), Libomp DataSharing @host;
    125 __kmpc_doacross_init Void(Ptr, I32, I32, Ptr), Libomp Doacross;
    126 __kmpc_doacross_post Void(Ptr, I32, Ptr), Libomp Doacross;
    127 __kmpc_doacross_wait Void(Ptr, I32, Ptr), Libomp Doacross;
    128 __kmpc_doacross_fini Void(Ptr, I32), Libomp Doacross;
    129 __kmpc_alloc Ptr(I32, I64, Ptr), Libomp Allocator;
    130 __kmpc_aligned_alloc Ptr(I32, I64, I64, Ptr), Libomp Allocator;
    131 __kmpc_free Void(I32, Ptr, Ptr), Libomp Allocator;
    132 __tgt_interop_init Void(Ptr, I32, Ptr, I32, I32, I32, Ptr, I32), Libomptarget Interop @host;
    133 __tgt_interop_destroy Void(Ptr, I32, Ptr, I32, I32, Ptr, I32), Libomptarget Interop @host;
    134 __tgt_interop_use Void(Ptr, I32, Ptr, I32, I32, Ptr, I32), Libomptarget Interop @host;
    135 __kmpc_init_allocator Ptr(I32, Ptr, I32, Ptr), Libomp Allocator @host;
    136 __kmpc_destroy_allocator Void(I32, Ptr), Libomp Allocator @host;
    137 __kmpc_push_target_tripcount_mapper Void(Ptr, I64, I64), Libomptarget Offload @host;
    138 __tgt_target_mapper I32(Ptr, I64, Ptr, I32, Ptr, Ptr, Ptr, Ptr, Ptr, Ptr), Libomptarget Offload @host;
    139 __tgt_target_nowait_mapper
        I32(Ptr, I64, Ptr, I32, Ptr, Ptr, Ptr, Ptr, Ptr, Ptr, I32, Ptr, I32, Ptr), Libomptarget Offload @host;
    140 __tgt_target_teams_mapper
        I32(Ptr, I64, Ptr, I32, Ptr, Ptr, Ptr, Ptr, Ptr, Ptr, I32, I32), Libomptarget Offload @host;
    141 __tgt_target_teams_nowait_mapper
        I32(Ptr, I64, Ptr, I32, Ptr, Ptr, Ptr, Ptr, Ptr, Ptr, I32, I32, I32, Ptr, I32, Ptr), Libomptarget Offload @host;
    142 __tgt_target_kernel I32(Ptr, I64, I32, I32, Ptr, Ptr), Libomptarget Offload @host;
    143 __tgt_target_kernel_nowait
        I32(Ptr, I64, I32, I32, Ptr, Ptr, I32, Ptr, I32, Ptr), Libomptarget Offload @host;
      - __tgt_register_requires Void(I64), Libomptarget Offload @host until 18;
    144 __tgt_target_data_begin_mapper
        Void(Ptr, I64, I32, Ptr, Ptr, Ptr, Ptr, Ptr, Ptr), Libomptarget Offload @host;
    145 __tgt_target_data_begin_nowait_mapper
        Void(Ptr, I64, I32, Ptr, Ptr, Ptr, Ptr, Ptr, Ptr), Libomptarget Offload @host
        then 19 Void(Ptr, I64, I32, Ptr, Ptr, Ptr, Ptr, Ptr, Ptr, I32, Ptr, I32, Ptr);
    146 __tgt_target_data_begin_mapper_issue
        Void(Ptr, I64, I32, Ptr, Ptr, Ptr, Ptr, Ptr, Ptr, Ptr), Nobody Offload @host;
    147 __tgt_target_data_begin_mapper_wait Void(I64, Ptr), Nobody Offload @host;
    148 __tgt_target_data_end_mapper
        Void(Ptr, I64, I32, Ptr, Ptr, Ptr, Ptr, Ptr, Ptr), Libomptarget Offload @host;
    149 __tgt_target_data_end_nowait_mapper
        Void(Ptr, I64, I32, Ptr, Ptr, Ptr, Ptr, Ptr, Ptr), Libomptarget Offload @host
        then 19 Void(Ptr, I64, I32, Ptr, Ptr, Ptr, Ptr, Ptr, Ptr, I32, Ptr, I32, Ptr);
    150 __tgt_target_data_update_mapper
        Void(Ptr, I64, I32, Ptr, Ptr, Ptr, Ptr, Ptr, Ptr), Libomptarget Offload @host;
    151 __tgt_target_data_update_nowait_mapper
        Void(Ptr, I64, I32, Ptr, Ptr, Ptr, Ptr, Ptr, Ptr), Libomptarget Offload @host
        then 19 Void(Ptr, I64, I32, Ptr, Ptr, Ptr, Ptr, Ptr, Ptr, I32, Ptr, I32, Ptr);
    152 __tgt_mapper_num_components I64(Ptr), Libomptarget Offload @host;
    153 __tgt_push_mapper_component Void(Ptr, Ptr, Ptr, I64, I64, Ptr), Libomptarget Offload @host;
    154 __kmpc_task_allow_completion_event Ptr(Ptr, I32, Ptr), Libomp Tasking;
    155 __kmpc_target_init I32(Ptr, Ptr), Device GpuMode;
    156 __kmpc_target_deinit Void(), Device GpuMode;
    157 __kmpc_kernel_prepare_parallel Void(Ptr), Nobody GpuMode;
    158 __kmpc_parallel_51 Void(Ptr, I32, I32, I32, I32, Ptr, Ptr, Ptr, I64), Device GpuMode until 21;
      - __kmpc_parallel_60 Void(Ptr, I32, I32, I32, I32, Ptr, Ptr, Ptr, I64, I32), Device GpuMode since 22;
    159 __kmpc_for_static_loop_4
        Void(Ptr, Ptr, Ptr, I32, I32, I32), Device Worksharing then 22 Void(Ptr, Ptr, Ptr, I32, I32, I32, I8);
    160 __kmpc_for_static_loop_4u
        Void(Ptr, Ptr, Ptr, I32, I32, I32), Device Worksharing then 22 Void(Ptr, Ptr, Ptr, I32, I32, I32, I8);
    161 __kmpc_for_static_loop_8
        Void(Ptr, Ptr, Ptr, I64, I64, I64), Device Worksharing then 22 Void(Ptr, Ptr, Ptr, I64, I64, I64, I8);
    162 __kmpc_for_static_loop_8u
        Void(Ptr, Ptr, Ptr, I64, I64, I64), Device Worksharing then 22 Void(Ptr, Ptr, Ptr, I64, I64, I64, I8);
    163 __kmpc_distribute_static_loop_4
        Void(Ptr, Ptr, Ptr, I32, I32), Device Worksharing then 22 Void(Ptr, Ptr, Ptr, I32, I32, I8);
    164 __kmpc_distribute_static_loop_4u
        Void(Ptr, Ptr, Ptr, I32, I32), Device Worksharing then 22 Void(Ptr, Ptr, Ptr, I32, I32, I8);
    165 __kmpc_distribute_static_loop_8
        Void(Ptr, Ptr, Ptr, I64, I64), Device Worksharing then 22 Void(Ptr, Ptr, Ptr, I64, I64, I8);
    166 __kmpc_distribute_static_loop_8u
        Void(Ptr, Ptr, Ptr, I64, I64), Device Worksharing then 22 Void(Ptr, Ptr, Ptr, I64, I64, I8);
    167 __kmpc_distribute_for_static_loop_4
        Void(Ptr, Ptr, Ptr, I32, I32, I32, I32), Device Worksharing
        then 22 Void(Ptr, Ptr, Ptr, I32, I32, I32, I32, I8);
    168 __kmpc_distribute_for_static_loop_4u
        Void(Ptr, Ptr, Ptr, I32, I32, I32, I32), Device Worksharing
        then 22 Void(Ptr, Ptr, Ptr, I32, I32, I32, I32, I8);
    169 __kmpc_distribute_for_static_loop_8
        Void(Ptr, Ptr, Ptr, I64, I64, I64, I64), Device Worksharing
        then 22 Void(Ptr, Ptr, Ptr, I64, I64, I64, I64, I8);
    170 __kmpc_distribute_for_static_loop_8u
        Void(Ptr, Ptr, Ptr, I64, I64, I64, I64), Device Worksharing
        then 22 Void(Ptr, Ptr, Ptr, I64, I64, I64, I64, I8);
    171 __kmpc_kernel_parallel I1(Ptr), Device GpuMode;
    172 __kmpc_kernel_end_parallel Void(), Device GpuMode;
    173 __kmpc_serialized_parallel Void(Ptr, I32), Libomp Parallel;
    174 __kmpc_end_serialized_parallel Void(Ptr, I32), Libomp Parallel;
    175 __kmpc_shuffle_int32 I32(I32, I16, I16), Device Warp;
    176 __kmpc_nvptx_parallel_reduce_nowait_v2 I32(Ptr, I64, Ptr, Ptr, Ptr), Device GpuReduction;
    177 __kmpc_nvptx_teams_reduce_nowait_v2
        I32(Ptr, Ptr, I32, I64, Ptr, Ptr, Ptr, Ptr, Ptr, Ptr, Ptr), Device GpuReduction;
    178 __kmpc_reduction_get_fixed_buffer Ptr(), Device GpuReduction;
    179 __kmpc_shuffle_int64 I64(I64, I16, I16), Device Warp;
    180 __kmpc_alloc_shared Ptr(I64), Device GpuSharing;
    181 __kmpc_free_shared Void(Ptr, I64), Device GpuSharing;
    182 __kmpc_begin_sharing_variables Void(Ptr, I64), Device GpuSharing;
    183 __kmpc_end_sharing_variables Void(), Device GpuSharing;
    184 __kmpc_get_shared_variables Void(Ptr), Device GpuSharing;
    185 __kmpc_parallel_level I16(Ptr, I32), Device GpuMode;
    186 __kmpc_is_spmd_exec_mode I8(), Device GpuMode;
    187 __kmpc_barrier_simple_spmd Void(Ptr, I32), Device Sync;
    188 __kmpc_barrier_simple_generic Void(Ptr, I32), Device Sync;
    189 __kmpc_warp_active_thread_mask I64(), Device Warp;
    190 __kmpc_syncwarp Void(I64), Device Warp;
    191 __llvm_profile_register_function Void(Ptr), Device Profiling since 20;
    192 __llvm_profile_register_names_function Void(Ptr, I64), Device Profiling since 20;
    193 __last Void(), Nobody Sentinel @host;
}
