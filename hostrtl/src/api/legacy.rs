//! Entry points of older compilers and of clients that write calls by hand, such as the REX compiler: no launch packet,
//! hence no hidden kernel parameter.

use super::tgt;
use crate::arrays::RawArrays;
use abi::ident::Ident;
use abi::kernel::KernelArguments;
use core::ffi::c_void;

/// `__tgt_target*` and `__tgt_target_teams*`; `teams` and `thread_limit` are -1 where the construct has none.
///
/// # Safety
/// As for [`tgt::target_kernel`].
pub unsafe fn target(
    ident: *const Ident,
    device: i64,
    host: *const c_void,
    arrays: RawArrays,
    teams: i32,
    thread_limit: i32,
) -> i32 {
    let packet = KernelArguments {
        version: 1,
        num_args: u32::try_from(arrays.count).unwrap_or(0),
        arg_base_ptrs: arrays.bases,
        arg_ptrs: arrays.begins,
        arg_sizes: arrays.sizes,
        arg_types: arrays.kinds,
        arg_names: arrays.names,
        arg_mappers: arrays.mappers,
        trip_count: 0,
        flags: 0,
        num_teams: [0; 3],
        thread_limit: [0; 3],
        dyn_cgroup_mem: 0,
    };
    // SAFETY: the contract of this function; the packet is complete.
    unsafe { tgt::target_kernel(ident, device, teams, thread_limit, host, &packet) }
}
