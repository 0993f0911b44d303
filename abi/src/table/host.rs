//! What `libomptarget.so` exports, for the two releases whose library ours replaces.
//!
//! Every symbol carries the version node [`VERSION_NODE`]; programs linked against LLVM's library ask for it.

use super::Llvm;

/// Version node of every exported symbol.
pub const VERSION_NODE: &str = "VERS1.0";

/// SONAME of the library of `llvm`. Known for LLVM 19 and 22, as [`exports`] is.
pub const fn soname(llvm: Llvm) -> Option<&'static str> {
    match llvm {
        Llvm::V19 => Some("libomptarget.so.19.1"),
        Llvm::V22 => Some("libomptarget.so.22.1"),
        _ => None,
    }
}

/// All functions that the library of `llvm` exports; `None` but for LLVM 19 and 22.
pub fn exports(llvm: Llvm) -> Option<impl Iterator<Item = &'static str>> {
    let own: &[&str] = match llvm {
        Llvm::V19 => &ONLY_19,
        Llvm::V22 => &ONLY_22,
        _ => return None,
    };
    Some(COMMON.iter().chain(own).copied())
}

/// Exports of LLVM 19 and of LLVM 22.
pub const COMMON: [&str; 70] = [
    "__kmpc_push_target_tripcount",
    "__kmpc_push_target_tripcount_mapper",
    "__tgt_activate_record_replay",
    "__tgt_init_all_rtls",
    "__tgt_interop_destroy",
    "__tgt_interop_init",
    "__tgt_interop_use",
    "__tgt_mapper_num_components",
    "__tgt_print_device_info",
    "__tgt_push_mapper_component",
    "__tgt_register_lib",
    "__tgt_register_requires",
    "__tgt_rtl_deinit",
    "__tgt_rtl_init",
    "__tgt_set_info_flag",
    "__tgt_target",
    "__tgt_target_data_begin",
    "__tgt_target_data_begin_mapper",
    "__tgt_target_data_begin_nowait",
    "__tgt_target_data_begin_nowait_mapper",
    "__tgt_target_data_end",
    "__tgt_target_data_end_mapper",
    "__tgt_target_data_end_nowait",
    "__tgt_target_data_end_nowait_mapper",
    "__tgt_target_data_update",
    "__tgt_target_data_update_mapper",
    "__tgt_target_data_update_nowait",
    "__tgt_target_data_update_nowait_mapper",
    "__tgt_target_kernel",
    "__tgt_target_kernel_nowait",
    "__tgt_target_kernel_replay",
    "__tgt_target_mapper",
    "__tgt_target_nowait",
    "__tgt_target_nowait_mapper",
    "__tgt_target_nowait_query",
    "__tgt_target_teams",
    "__tgt_target_teams_mapper",
    "__tgt_target_teams_nowait",
    "__tgt_target_teams_nowait_mapper",
    "__tgt_unregister_lib",
    "llvm_omp_target_alloc_device",
    "llvm_omp_target_alloc_host",
    "llvm_omp_target_alloc_shared",
    "llvm_omp_target_dynamic_shared_alloc",
    "llvm_omp_target_free_device",
    "llvm_omp_target_free_host",
    "llvm_omp_target_free_shared",
    "llvm_omp_target_lock_mem",
    "llvm_omp_target_unlock_mem",
    "omp_get_device_num",
    "omp_get_initial_device",
    "omp_get_interop_int",
    "omp_get_interop_name",
    "omp_get_interop_ptr",
    "omp_get_interop_str",
    "omp_get_interop_type_desc",
    "omp_get_mapped_ptr",
    "omp_get_num_devices",
    "omp_target_alloc",
    "omp_target_associate_ptr",
    "omp_target_disassociate_ptr",
    "omp_target_free",
    "omp_target_is_present",
    "omp_target_memcpy",
    "omp_target_memcpy_async",
    "omp_target_memcpy_rect",
    "omp_target_memcpy_rect_async",
    "omp_target_memset",
    "omp_target_memset_async",
    "ompx_dump_mapping_tables",
];

/// Exports of LLVM 19 that 22 lacks.
pub const ONLY_19: [&str; 1] = ["ompt_libomptarget_connect"];

/// Functions that only ours exports: libomp has one of the first name and forwards it to the second; libraries after LLVM 22 have the
/// others, of OpenMP 6.1.
pub const OURS: [&str; 7] = [
    "omp_get_interop_rc_desc",
    "omp_get_interop_rec_desc",
    "omp_get_dyn_gprivate_memspace",
    "omp_get_dyn_gprivate_nofb_ptr",
    "omp_get_dyn_gprivate_ptr",
    "omp_get_dyn_gprivate_size",
    "omp_get_gprivate_limit",
];

/// Exports of LLVM 22 that 19 lacks.
pub const ONLY_22: [&str; 11] = [
    "__llvmPopCallConfiguration",
    "__llvmPushCallConfiguration",
    "__tgt_interop_get",
    "__tgt_interop_release",
    "__tgt_interop_use60",
    "__tgt_target_sync",
    "llvmLaunchKernel",
    "omp_get_device_from_uid",
    "omp_get_uid_from_device",
    "omp_target_is_accessible",
    "ompx_interop_add_completion_callback",
];
