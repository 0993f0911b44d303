//! Symbols of the device runtime that are in no function table.
//!
//! Compilers, the `omp.h` functions of user code and C support call or read them by name. Together with the table
//! they are all that a device runtime may export; [`is_export`] answers for one name.

use super::{Llvm, Owner, Signature, by_name, equal, fortran};

/// Prefix of the math functions of NVIDIA's libdevice, which a device runtime may bring with it.
pub const MATH_PREFIX: &str = "__nv_";

/// Where a [`Function`] is known from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Origin {
    /// LLVM's device runtime defines it.
    Llvm,
    /// LLVM's device runtime defines it as a weak symbol: the program may bring its own.
    LlvmWeak,
    /// clang emits calls of it or `omp.h` declares it, but no device runtime of LLVM's defines it.
    Missing,
    /// As [`Origin::Missing`], for a function that the program may bring itself: its definition must be weak.
    MissingWeak,
}

impl Origin {
    /// Whether a definition must give way to one of the program.
    pub const fn is_weak(self) -> bool {
        matches!(self, Self::LlvmWeak | Self::MissingWeak)
    }
}

/// A function of the device runtime that is in no table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Function {
    /// Symbol.
    pub name: &'static str,
    /// Its type, the same in all versions.
    pub signature: Signature,
    /// Who defines it.
    pub origin: Origin,
    /// First of LLVM 19 and 22 that has it; if it is missing there, that needs it.
    pub since: Llvm,
    /// Last of LLVM 19 and 22 that has it.
    pub until: Llvm,
}

/// A list of functions, by their names and types.
macro_rules! functions {
    (@varargs) => { false };
    (@varargs ...) => { true };
    (@version $default:ident) => { Llvm::$default };
    (@version $default:ident $version:ident) => { Llvm::$version };
    ($(#[$doc:meta])* $list:ident: $(
        $name:ident $ret:ident ($($param:ident),* $(; $varargs:tt)?), $origin:ident
        $(since $since:ident)? $(until $until:ident)?;
    )+) => {
        $(#[$doc])*
        pub static $list: [$crate::table::device::Function; [$(stringify!($name)),+].len()] = {
            use $crate::table::{Llvm, Signature, Type, device::{Function, Origin}};
            [$(
                Function {
                    name: stringify!($name),
                    signature: Signature {
                        ret: Type::$ret,
                        params: &[$(Type::$param),*],
                        varargs: functions!(@varargs $($varargs)?),
                    },
                    origin: Origin::$origin,
                    since: functions!(@version V19 $($since)?),
                    until: functions!(@version V22 $($until)?),
                },
            )+]
        };
    };
}
pub(super) use functions;

functions! {
    /// The functions for C and C++, those of one subject together.
    FUNCTIONS:
    // Kernel, memory, indirect calls, services of the host.
    __kmpc_parallel_spmd Void(Ptr, I32, Ptr, Ptr, I64), Llvm;
    __kmpc_get_dynamic_shared Ptr(), Llvm;
    llvm_omp_get_dynamic_shared Ptr(), Llvm;
    llvm_omp_target_dynamic_shared_alloc Ptr(), Llvm;
    __llvm_omp_indirect_call_lookup Ptr(Ptr), Llvm;
    __llvm_omp_vprintf I32(Ptr, Ptr, I32), Llvm until V19;
    __llvm_omp_host_call I64(Ptr, Ptr, I64), Llvm since V22;
    __llvm_profile_instrument_memop Void(I64, Ptr, I32), Llvm since V22;
    // Queries of omp.h.
    omp_get_num_devices I32(), Llvm;
    omp_get_device_num I32(), Llvm;
    omp_get_initial_device I32(), Llvm;
    omp_is_initial_device I32(), Llvm;
    omp_get_num_teams I32(), Llvm;
    omp_get_team_num I32(), Llvm;
    omp_get_default_device I32(), Llvm;
    omp_get_max_task_priority I32(), Llvm;
    omp_get_place_num_procs I32(I32), Llvm;
    omp_set_default_device Void(I32), Llvm;
    omp_get_wtick F64(), Llvm;
    omp_get_device_from_uid I32(Ptr), Llvm since V22;
    omp_get_uid_from_device Ptr(I32), Llvm since V22;
    omp_get_max_teams I32(), Missing;
    omp_get_teams_thread_limit I32(), Missing;
    omp_pause_resource I32(I32, I32), Missing;
    omp_pause_resource_all I32(I32), Missing;
    omp_display_env Void(I32), Missing;
    omp_control_tool I32(I32, I32, Ptr), Missing;
    omp_set_num_teams Void(I32), Missing;
    omp_set_teams_thread_limit Void(I32), Missing;
    ompc_display_affinity Void(Ptr), Missing;
    ompc_capture_affinity I64(Ptr, I64, Ptr), Missing;
    ompc_set_affinity_format Void(Ptr), Missing;
    ompc_get_affinity_format I64(Ptr, I64), Missing;
    // Tasks of omp.h.
    omp_fulfill_event Void(I64), Missing;
    omp_in_explicit_task I32(), Missing;
    // Locks of omp.h.
    omp_init_lock Void(Ptr), Llvm;
    omp_destroy_lock Void(Ptr), Llvm;
    omp_set_lock Void(Ptr), Llvm;
    omp_unset_lock Void(Ptr), Llvm;
    omp_test_lock I32(Ptr), Llvm;
    omp_init_lock_with_hint Void(Ptr, I32), Missing;
    omp_init_nest_lock_with_hint Void(Ptr, I32), Missing;
    omp_init_nest_lock Void(Ptr), Missing;
    omp_destroy_nest_lock Void(Ptr), Missing;
    omp_set_nest_lock Void(Ptr), Missing;
    omp_unset_nest_lock Void(Ptr), Missing;
    omp_test_nest_lock I32(Ptr), Missing;
    // Memory of omp.h; LLVM 19 declares these two and does not define them.
    omp_alloc Ptr(I64, I64), Llvm since V22;
    omp_free Void(Ptr, I64), Llvm since V22;
    omp_aligned_alloc Ptr(I64, I64, I64), Missing;
    omp_calloc Ptr(I64, I64, I64), Missing;
    omp_aligned_calloc Ptr(I64, I64, I64, I64), Missing;
    omp_realloc Ptr(Ptr, I64, I64, I64), Missing;
    omp_init_allocator I64(I64, I32, Ptr), Missing;
    omp_destroy_allocator Void(I64), Missing;
    omp_set_default_allocator Void(I64), Missing;
    omp_get_default_allocator I64(), Missing;
    omp_get_devices_memspace I64(I32, Ptr, I64), Missing;
    omp_get_device_memspace I64(I32, I64), Missing;
    omp_get_devices_and_host_memspace I64(I32, Ptr, I64), Missing;
    omp_get_device_and_host_memspace I64(I32, I64), Missing;
    omp_get_devices_all_memspace I64(I64), Missing;
    omp_get_devices_allocator I64(I32, Ptr, I64), Missing;
    omp_get_device_allocator I64(I32, I64), Missing;
    omp_get_devices_and_host_allocator I64(I32, Ptr, I64), Missing;
    omp_get_device_and_host_allocator I64(I32, I64), Missing;
    omp_get_devices_all_allocator I64(I64), Missing;
    omp_get_memspace_num_resources I32(I64), Missing;
    omp_get_submemspace I64(I64, I32, Ptr), Missing;
    omp_get_dyn_gprivate_ptr Ptr(I64, I32), Missing since V22;
    omp_get_dyn_gprivate_nofb_ptr Ptr(I64, I32), Missing since V22;
    omp_get_dyn_gprivate_size I64(I32), Missing since V22;
    omp_get_dyn_gprivate_memspace I64(I32), Missing since V22;
    // ompx.h.
    ompx_thread_id I32(I32), Llvm;
    ompx_block_id I32(I32), Llvm;
    ompx_block_dim I32(I32), Llvm;
    ompx_grid_dim I32(I32), Llvm;
    ompx_ballot_sync I64(I64, I32), Llvm;
    ompx_shfl_down_sync_i I32(I64, I32, I32, I32), Llvm;
    ompx_shfl_down_sync_l I64(I64, I64, I32, I32), Llvm;
    ompx_shfl_down_sync_f F32(I64, F32, I32, I32), Llvm;
    ompx_shfl_down_sync_d F64(I64, F64, I32, I32), Llvm;
    ompx_sync_block Void(I32), Llvm;
    ompx_sync_block_divergent Void(I32), Llvm;
    ompx_sync_block_acq_rel Void(), Llvm;
    // C and C++ support. LLVM's `memset` returns nothing; this is C's.
    __assert_fail Void(Ptr, Ptr, I32, Ptr), LlvmWeak;
    memcmp I32(Ptr, Ptr, I64), LlvmWeak;
    memset Ptr(Ptr, I32, I64), LlvmWeak since V22;
    memcpy Ptr(Ptr, Ptr, I64), MissingWeak;
    memmove Ptr(Ptr, Ptr, I64), MissingWeak;
    memchr Ptr(Ptr, I32, I64), MissingWeak;
    strlen I64(Ptr), MissingWeak;
    strcmp I32(Ptr, Ptr), MissingWeak;
    strncmp I32(Ptr, Ptr, I64), MissingWeak;
    strcpy Ptr(Ptr, Ptr), MissingWeak;
    strncpy Ptr(Ptr, Ptr, I64), MissingWeak;
    strcat Ptr(Ptr, Ptr), MissingWeak;
    strncat Ptr(Ptr, Ptr, I64), MissingWeak;
    strchr Ptr(Ptr, I32), MissingWeak;
    strrchr Ptr(Ptr, I32), MissingWeak;
    puts I32(Ptr), MissingWeak;
    abort Void(), MissingWeak;
    __cxa_atexit I32(Ptr, Ptr, Ptr), MissingWeak;
    printf I32(Ptr; ...), LlvmWeak since V22;
    __cxa_pure_virtual Void(), LlvmWeak since V22;
    __cxa_deleted_virtual Void(), LlvmWeak since V22;
    __assert_fail_internal Void(Ptr, Ptr, Ptr, I32, Ptr), Llvm;
    __assert_assume Void(I1), Llvm since V22;
    // Atomics of sizes or alignments without an instruction.
    __atomic_load Void(I64, Ptr, Ptr, I32), Missing;
    __atomic_store Void(I64, Ptr, Ptr, I32), Missing;
    __atomic_exchange Void(I64, Ptr, Ptr, Ptr, I32), Missing;
    __atomic_compare_exchange I1(I64, Ptr, Ptr, Ptr, I32, I32), Missing;
    __atomic_is_lock_free I1(I64, Ptr), Missing;
}

/// Global variables that a device runtime may define, or that clang defines in each module for it to read.
///
/// The symbol `__llvm_rpc_client` of LLVM 22's runtime is left out on purpose: an image that has it makes LLVM's
/// `libomptarget` start a server thread and pin 8.5 MB for each device.
pub const GLOBALS: [&str; 8] = [
    crate::device::DEVICE_ENVIRONMENT_SYMBOL,
    "__dso_handle",
    "IsSPMDMode",
    "__omp_rtl_assume_no_nested_parallelism",
    "__omp_rtl_assume_no_thread_state",
    "__omp_rtl_assume_teams_oversubscription",
    "__omp_rtl_assume_threads_oversubscription",
    "__omp_rtl_debug_kind",
];

/// All functions that are in no table: [`FUNCTIONS`] and those for Fortran.
pub fn all() -> impl Iterator<Item = &'static Function> {
    FUNCTIONS.iter().chain(&fortran::FUNCTIONS)
}

/// The function of this name that is in no table.
pub const fn function(name: &str) -> Option<&'static Function> {
    let lists: [&'static [Function]; 2] = [&FUNCTIONS, &fortran::FUNCTIONS];
    let mut list = 0;
    while list < lists.len() {
        let mut row = 0;
        while row < lists[list].len() {
            if equal(lists[list][row].name, name) {
                return Some(&lists[list][row]);
            }
            row += 1;
        }
        list += 1;
    }
    None
}

/// Whether a device runtime may export a function called `name`: one of the table that is not for the host only,
/// one of [`all`], or a math function.
pub fn is_export(name: &str) -> bool {
    by_name(name).is_some_and(|entry| !entry.host_only)
        || function(name).is_some()
        || name.starts_with(MATH_PREFIX)
}

/// The functions that LLVM's device runtime exports in `llvm`, table and others, without the math functions.
/// Answers for LLVM 19 and 22.
pub fn llvm_exports(llvm: Llvm) -> impl Iterator<Item = &'static str> {
    let of_table = super::entries(llvm)
        .filter(|entry| matches!(entry.owner, Owner::Device | Owner::Both))
        .map(|entry| entry.name);
    let others = all()
        .filter(move |f| {
            !matches!(f.origin, Origin::Missing | Origin::MissingWeak) && f.since <= llvm && llvm <= f.until
        })
        .map(|f| f.name);
    of_table.chain(others)
}
