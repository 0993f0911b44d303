//! What single threads have of a loop that is handed out while it runs: its position in the loop of its team, or the
//! whole loop if it is alone.

use super::*;
use crate::worksharing::dynamic::WholeLoop;

/// Where this thread is in the loop of its team.
#[inline(always)]
pub fn position() -> *mut u64 {
    let own = own();
    // SAFETY: this thread's state; a block has at most 1024 threads.
    unsafe {
        if !own.is_null() && !team_of(own).is_null() {
            &raw mut (*more(own)).position
        } else {
            (&raw mut POSITIONS).cast::<u64>().add(arch::tid() as usize)
        }
    }
}

/// Whether this thread is its team's only one. A region of all threads of a block with one thread is not counted.
#[inline(always)]
pub fn is_team_of_one() -> bool {
    in_serial_region() || (nested_team().is_null() && par::active_levels(team_par()) == 0)
}

/// The loop of this thread if it runs serial code or a serialised region, else null.
#[inline(always)]
pub fn whole_loop() -> *mut WholeLoop {
    if in_serial_region() {
        // SAFETY: a thread in a serialised region has a state.
        unsafe { &raw mut (*more(own())).whole_loop }
    } else if nested_team().is_null() && in_serial_code() {
        (&raw mut WHOLE_LOOP).cast()
    } else {
        core::ptr::null_mut()
    }
}
