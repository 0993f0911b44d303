//! `single copyprivate`: the values of one thread's private variables go to the other threads of the team.
//!
//! The compiler passes the addresses of the variables and a function that assigns them, list to list, but no sizes. Most
//! private variables are in local memory, which other threads cannot read: those are assigned to copies in memory
//! that all see, and from there. A copy reaches as far as the next variable of the list in local memory; the last one
//! has [`LARGEST`] bytes, with a mark behind it: a larger variable ends the program.

use super::team_barrier;
use crate::{
    arch::{self, Arg, Code},
    memory, state,
};
use abi::ident::Ident;

/// Most bytes from the start of one variable that is copied to its end.
const LARGEST: u64 = 4096;
/// What stands behind the last copy.
const MARK: u64 = 0x6b72_616d_646e_6521;
/// Alignment of the copies, at least that of any variable.
const ALIGN: u64 = memory::GRANULE as u64;

/// A list of variables.
#[derive(Clone, Copy)]
struct List {
    first: *mut Arg,
    count: usize,
}

impl List {
    /// # Safety
    /// `index` must be below `count`.
    #[inline(always)]
    unsafe fn at(self, index: usize) -> *mut Arg {
        // SAFETY: as the caller promises.
        unsafe { self.first.add(index) }
    }

    /// Bytes from the variable at `index`, which is in local memory, to the next one there.
    ///
    /// # Safety
    /// As for [`List::at`].
    unsafe fn room(self, index: usize) -> u64 {
        let mut room = LARGEST;
        // SAFETY: elements of the list.
        unsafe {
            let start = *self.at(index) as u64;
            for other in 0..self.count {
                let other = *self.at(other);
                if other as u64 > start && arch::is_local(other.cast()) {
                    room = room.min(other as u64 - start);
                }
            }
        }
        room.next_multiple_of(ALIGN)
    }
}

/// Makes the list that other threads read: copies of the variables in local memory, the others themselves.
///
/// # Safety
/// `own` must hold the variables of this thread that `assign` assigns.
unsafe fn publish(own: List, assign: Code) -> Arg {
    // SAFETY: elements of both lists, and memory inside the piece that was just taken for them.
    unsafe {
        let head = (own.count as u64 * 8).next_multiple_of(ALIGN);
        let mut bytes = head;
        for index in 0..own.count {
            if arch::is_local((*own.at(index)).cast()) {
                bytes += own.room(index);
            }
        }
        let memory = memory::from_heap(bytes + 8);
        let list = List { first: memory.cast(), count: own.count };
        let mut used = head;
        for index in 0..own.count {
            let variable = *own.at(index);
            let local = arch::is_local(variable.cast());
            *list.at(index) = if local { memory.add(used as usize).cast() } else { variable };
            if local {
                used += own.room(index);
            }
        }
        let mark = memory.add(bytes as usize).cast::<u64>();
        mark.write(MARK);
        arch::call_two(assign, memory.cast(), own.first.cast());
        if mark.read_volatile() != MARK {
            arch::fail(arch::Failure::LargeCopyPrivate)
        }
        memory.cast()
    }
}

/// All threads of the team call it; `did_it` is not 0 in the one whose values the others get.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_copyprivate(
    _loc: *const Ident,
    _gtid: i32,
    bytes: u64,
    list: Arg,
    assign: Code,
    did_it: i32,
) {
    if state::num_threads() == 1 {
        return;
    }
    let slot = state::copy_source();
    // SAFETY: a variable of the team, which one thread writes before the first barrier and clears after the second. With a
    // cancelled region nobody may have written it.
    unsafe {
        if did_it != 0 {
            let own = List { first: list.cast(), count: (bytes / 8) as usize };
            slot.write(publish(own, assign));
        }
        team_barrier();
        let source = slot.read();
        if did_it == 0 && !source.is_null() {
            arch::call_two(assign, list, source);
        }
        team_barrier();
        if did_it != 0 {
            slot.write(core::ptr::null_mut());
            arch::free(source.cast());
        }
    }
}
