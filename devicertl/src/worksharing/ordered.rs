//! `ordered` regions of a loop, by all threads of the team.
//!
//! The loop counts the iterations whose region has been passed. A thread's chunk begins at its position: when the count
//! has come there, the iterations of the chunk follow one by one. A compiler calls `__kmpc_dispatch_fini_*` at the end
//! of every iteration, also of those that had no `ordered` region: these count too.
//!
//! Lanes of one warp wait for each other, which needs independent thread scheduling, as locks do.

use super::{PAUSE, dynamic::in_ordered_loop};
use crate::{arch, state, state::ThisThread};
use abi::ident::Ident;

/// In a position: the iteration that runs has passed its region. An ordered loop has less than 2^63 iterations.
const PASSED: u64 = 1 << 63;

/// Waits until it is the turn of this thread's chunk; the number of the iteration. Acquires what the iterations before
/// have done.
#[inline(always)]
fn wait(this: ThisThread) -> u64 {
    // SAFETY: a word of this team; the position is this thread's.
    unsafe {
        let start = this.position().read() & !PASSED;
        loop {
            let count = arch::block_load_u64(this.loop_ordered());
            if count >= start {
                return count;
            }
            arch::backoff(PAUSE);
        }
    }
}

#[allow(missing_docs)]
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_ordered(_loc: *const Ident, _gtid: i32) {
    let this = state::this_thread();
    if in_ordered_loop(this) {
        wait(this);
    }
}

#[allow(missing_docs)]
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_end_ordered(_loc: *const Ident, _gtid: i32) {
    let this = state::this_thread();
    if in_ordered_loop(this) {
        // SAFETY: a word of this team that only the thread that has its turn changes; the position is this thread's.
        unsafe {
            let count = arch::block_read_u64(this.loop_ordered());
            arch::block_store_u64(this.loop_ordered(), count + 1);
            this.position().write(this.position().read() | PASSED);
        }
    }
}

/// The end of an iteration.
#[inline(always)]
fn end_iteration() {
    let this = state::this_thread();
    if in_ordered_loop(this) {
        // SAFETY: as above.
        unsafe {
            let here = this.position().read();
            if here & PASSED != 0 {
                this.position().write(here & !PASSED);
            } else {
                let count = wait(this);
                arch::block_store_u64(this.loop_ordered(), count + 1);
            }
        }
    }
}

macro_rules! entry_points {
    ($($fini:ident)*) => { $(
        #[allow(missing_docs)]
        #[unsafe(no_mangle)]
        pub extern "C" fn $fini(_loc: *const Ident, _gtid: i32) {
            end_iteration()
        }
    )* };
}
entry_points! { __kmpc_dispatch_fini_4 __kmpc_dispatch_fini_4u __kmpc_dispatch_fini_8 __kmpc_dispatch_fini_8u }
