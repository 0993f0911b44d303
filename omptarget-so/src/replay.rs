//! Recorded kernels.

use abi::ident::Ident;
use core::ffi::{c_int, c_void};
use hostrtl::api::replay::{self, Replay};

export! {
    /// Makes room for the memory of a recorded kernel.
    fn __tgt_activate_record_replay(
        device: i64, bytes: u64, recorded: *mut c_void, is_record: bool, save_output: bool, distance: *mut u64,
    ) -> c_int {
        let mut nowhere = 0;
        let distance = distance.as_mut().unwrap_or(&mut nowhere);
        replay::activate(device, bytes, recorded, is_record, save_output, distance)
    }
    /// Runs a recorded kernel.
    fn __tgt_target_kernel_replay(
        ident: *const Ident, device: i64, host: *const c_void, memory: *const c_void, memory_size: i64,
        arguments: *const *mut c_void, offsets: *const isize, argument_count: i32, teams: i32, thread_limit: i32,
        trip_count: u64,
    ) -> c_int {
        replay::replay(&Replay {
            ident, device, host, memory, memory_size, arguments, offsets, argument_count, teams, thread_limit,
            trip_count,
        })
    }
}
