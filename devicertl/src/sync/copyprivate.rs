//! `single copyprivate`: the values of one thread's private variables go to the other threads of the team.
//!
//! clang passes the addresses of the variables and a function that assigns them, list to list, but no sizes. flang passes a variable at a
//! time, with a function that assigns it and no list, whose size is 0 then. Most
//! private variables are in local memory, which other threads cannot read: those are assigned to copies in memory
//! that all see, and from there. A copy reaches as far as the next variable of the list in local memory; the last one
//! has [`LARGEST`] bytes, with a mark behind it: a larger variable ends the program.
//!
//! The memory is of the team's pool if the copies fit there, else one of some places in global memory. The heap is
//! for lists that are larger still, and for teams that find their place taken by another one.

use super::team_barrier;
use crate::{
    arch::{self, Arg, Code},
    memory, state,
};
use abi::ident::Ident;
use core::cell::UnsafeCell;

/// Most bytes from the start of one variable that is copied to its end.
const LARGEST: u64 = 4096;
/// What stands behind the last copy.
const MARK: u64 = 0x6b72_616d_646e_6521;
/// Alignment of the copies, at least that of any variable.
const ALIGN: u64 = memory::GRANULE as u64;

/// Bytes of a place: most lists have one variable of [`LARGEST`] bytes, and more small ones.
const PLACE_BYTES: u64 = LARGEST + 1024;
/// Number of places.
const PLACES: u32 = 64;

/// Copies of one team at a time.
#[repr(C, align(16))]
struct Place {
    memory: [u8; PLACE_BYTES as usize],
    /// Not 0 while it is in use.
    taken: u32,
}

struct Places(UnsafeCell<[Place; PLACES as usize]>);
// SAFETY: a place belongs to the thread that has set `taken`.
unsafe impl Sync for Places {}
static ALL: Places = Places(UnsafeCell::new(
    [const { Place { memory: [0; PLACE_BYTES as usize], taken: 0 } }; PLACES as usize],
));

/// The place that the threads of this block may take.
fn place() -> *mut Place {
    // SAFETY: below the number of places.
    unsafe { ALL.0.get().cast::<Place>().add((arch::ctaid() % PLACES) as usize) }
}

/// Memory for copies of this size.
fn take(bytes: u64) -> *mut u8 {
    if !memory::fits_pool(bytes) && bytes <= PLACE_BYTES {
        // SAFETY: a place, which is this thread's if it was free.
        unsafe {
            if arch::device_cas_u32(&raw mut (*place()).taken, 0, 1) == 0 {
                return (&raw mut (*place()).memory).cast();
            }
        }
    }
    memory::shared(bytes)
}

/// Gives back what [`take`] returned.
///
/// # Safety
/// `memory` must be in use, and `bytes` what it was taken with.
unsafe fn give_back(memory: *mut u8, bytes: u64) {
    // SAFETY: as the caller promises.
    unsafe {
        if memory == (&raw mut (*place()).memory).cast() {
            arch::device_store_u32(&raw mut (*place()).taken, 0)
        } else {
            memory::free_shared(memory, bytes)
        }
    }
}

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

/// What other threads read.
struct Published {
    /// What `assign` takes: the list, or the only variable.
    source: Arg,
    /// The memory of all of it, and the size of that, for [`give_back`].
    memory: *mut u8,
    bytes: u64,
}

/// Makes the list that other threads read: copies of the variables in local memory, the others themselves.
///
/// # Safety
/// `own` must hold the variables of this thread that `assign` assigns: lists of them, or, if `one`, the only one.
unsafe fn publish(own: List, one: bool, assign: Code) -> Published {
    // SAFETY: elements of both lists, and memory inside the piece that was just taken for them.
    unsafe {
        let head = (own.count as u64 * 8).next_multiple_of(ALIGN);
        let mut bytes = head;
        for index in 0..own.count {
            if arch::is_local((*own.at(index)).cast()) {
                bytes += own.room(index);
            }
        }
        let all = bytes + size_of_val(&MARK) as u64;
        let memory = take(all);
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
        let (source, given) = if one { (*list.at(0), *own.at(0)) } else { (memory.cast(), own.first.cast()) };
        arch::call_two(assign, source, given);
        if mark.read_volatile() != MARK {
            arch::fail(arch::Failure::LargeCopyPrivate)
        }
        Published { source, memory, bytes: all }
    }
}

/// All threads of the team call it; `did_it` is not 0 in the one whose values the others get. `list` has so many bytes; of 0 it is
/// the only variable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_copyprivate(
    _loc: *const Ident,
    _gtid: i32,
    bytes: u64,
    list: Arg,
    assign: Code,
    did_it: i32,
) {
    let this = state::this_thread();
    if this.num_threads() == 1 {
        return;
    }
    let slot = this.copy_source();
    // SAFETY: a variable of the team, which one thread writes before the first barrier and clears after the second. With a
    // cancelled region nobody may have written it.
    unsafe {
        let (one, mut only) = (bytes == 0, list);
        let own = match one {
            true => List { first: &raw mut only, count: 1 },
            false => List { first: list.cast(), count: (bytes / 8) as usize },
        };
        let mut published = None;
        if did_it != 0 {
            let made = publish(own, one, assign);
            slot.write(made.source);
            published = Some(made);
        }
        team_barrier();
        let source = slot.read();
        if did_it == 0 && !source.is_null() {
            arch::call_two(assign, list, source);
        }
        team_barrier();
        if let Some(Published { memory, bytes, .. }) = published {
            slot.write(core::ptr::null_mut());
            give_back(memory, bytes);
        }
    }
}
