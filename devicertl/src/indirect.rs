//! Calls through pointers that came from the host.
//!
//! The host writes a table of (host address, device address) pairs, sorted by host address, for the functions of
//! `declare target indirect`. A pointer that is not in it is returned as it is: a function pointer made on the device.

use crate::config;

/// The device address of a function whose host address this is; any other pointer unchanged.
#[unsafe(no_mangle)]
pub extern "C" fn __llvm_omp_indirect_call_lookup(function: *mut u8) -> *mut u8 {
    let device = config::device();
    let table = device.indirect_call_table as *const [*mut u8; 2];
    let (mut first, mut pairs) = (0, device.indirect_call_table_size as usize);
    // The pairs from `first` on, `pairs` of them, are left; each step halves their number.
    while pairs != 0 {
        let half = pairs / 2;
        // SAFETY: a pair of the table that the host wrote.
        let [host, here] = unsafe { table.add(first + half).read() };
        if host == function {
            return here;
        }
        if host < function {
            first += half + 1;
            pairs -= half + 1;
        } else {
            pairs = half;
        }
    }
    function
}
