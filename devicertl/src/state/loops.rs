//! What single threads have of a loop that is handed out while it runs: its position in the loop of its team, or the
//! whole loop if it is alone.

use super::*;
use crate::worksharing::dynamic::WholeLoop;

impl ThisThread {
    /// Where it is in the loop of its team.
    #[inline(always)]
    pub fn position(self) -> *mut u64 {
        // SAFETY: this thread's state; a block has at most 1024 threads.
        unsafe {
            if self.nested_team().is_null() {
                (&raw mut POSITIONS).cast::<u64>().add(arch::tid() as usize)
            } else {
                &raw mut (*more(self.own)).position
            }
        }
    }

    /// Whether it is its team's only one. A region of all threads of a block with one thread is not counted.
    #[inline(always)]
    pub fn is_team_of_one(self) -> bool {
        self.in_serial_region() || (self.nested_team().is_null() && par::active_levels(team_par()) == 0)
    }

    /// Its loop if it runs serial code or a region of one thread. Serial code and a region in it have the same: who begins an
    /// inner loop has taken all of the outer one.
    ///
    /// Not null for none: LLVM 22 would compare the address in shared memory with null's, which is that memory's start
    /// (docs/upstream.md).
    #[inline(always)]
    pub fn whole_loop(self) -> Option<*mut WholeLoop> {
        if self.in_serial_region() {
            // SAFETY: a thread in a serialised region has a state.
            Some(unsafe { &raw mut (*more(self.own)).whole_loop })
        } else if self.nested_team().is_null() && has_serial_code() && par::active_levels(team_par()) == 0 {
            Some((&raw mut WHOLE_LOOP).cast())
        } else {
            None
        }
    }

    /// Its number in its team, and the team's threads, where [`Self::whole_loop`] is none: the parallel state of the team has
    /// been asked then and need not be asked again.
    #[inline(always)]
    pub fn place_in_loop(self) -> (u32, u32) {
        if self.nested_team().is_null() {
            (arch::tid(), team_threads())
        } else {
            // SAFETY: this thread's state; a team outlives its threads' states.
            unsafe { ((*self.own).number, (*(*self.own).team).size) }
        }
    }
}
