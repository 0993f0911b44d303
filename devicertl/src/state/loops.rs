//! Where a team has the loops that it shares while they run: the kernel's own in shared variables, a nested one in memory
//! that it gets for its first loop, a thread alone with its state.

use super::*;
use crate::{
    nested,
    worksharing::{
        doacross::Nests,
        dynamic::{Loops, WholeLoop},
        ring,
    },
};

/// The loops of this thread's team; garbage until [`loops_word`] says otherwise.
#[inline(always)]
pub fn loops() -> *mut Loops {
    let team = nested_team();
    // SAFETY: this thread's team.
    if team.is_null() { (&raw mut LOOPS).cast() } else { unsafe { &raw mut (*nested::loops(team)).shared } }
}

/// The loop nests with dependences of this thread's team; garbage until [`nests_word`] says otherwise.
#[inline(always)]
pub fn nests() -> *mut Nests {
    let team = nested_team();
    // SAFETY: this thread's team.
    if team.is_null() { (&raw mut NESTS).cast() } else { unsafe { &raw mut (*nested::loops(team)).nests } }
}

/// The position of this thread in [`loops`].
#[inline(always)]
pub fn position() -> *mut u64 {
    let own = own();
    // SAFETY: this thread's state; a block has at most 1024 threads.
    unsafe {
        if !own.is_null() && !(*own).team.is_null() {
            &raw mut (*own).position
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

/// The loop of this thread if it [is a team of one](is_team_of_one), else null.
#[inline(always)]
pub fn whole_loop() -> *mut WholeLoop {
    if in_serial_region() {
        // SAFETY: a thread in a serialised region has a state.
        unsafe { &raw mut (*own()).whole_loop }
    } else if nested_team().is_null() && par::active_levels(team_par()) == 0 {
        // A region of one thread may be in a loop of the initial thread.
        let level = par::level(team_par()).min(1) as usize;
        // SAFETY: an element of the variable.
        unsafe { (&raw mut WHOLE_LOOPS).cast::<WholeLoop>().add(level) }
    } else {
        core::ptr::null_mut()
    }
}

/// Forgets the loops of the kernel's own team, at the end of its region.
#[inline(always)]
pub fn forget_loops() {
    // SAFETY: variables of this block; all writers write the same value.
    unsafe {
        (&raw mut LOOPS_WORD).cast::<u32>().write(ring::UNUSED);
        (&raw mut NESTS_WORD).cast::<u32>().write(ring::UNUSED);
    }
}
