//! Dependences of tasks: how compilers pass them, and which task they hold up.

use super::blocks;
use crate::memory;

/// An item of a `depend` clause (`kmp.h`: `kmp_depend_info`).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Dependence {
    /// Address of the list item.
    pub address: u64,
    /// Its size; dependences are of addresses.
    pub bytes: u64,
    /// Kind of the dependence, see [`kind`].
    pub kind: u8,
}

/// Kinds of dependences.
pub mod kind {
    /// `out` and `inout`; compilers set the bit of `in` too.
    pub const OUT: u8 = 2;
    /// `mutexinoutset`.
    pub const MUTEX: u8 = 4;
    /// `inoutset`.
    pub const SET: u8 = 8;
    /// `omp_all_memory`.
    pub const ALL: u8 = 0x80;
    /// Whatever has none of these is `in`.
    pub const NOT_IN: u8 = OUT | MUTEX | SET | ALL;
}

impl Dependence {
    /// Whether a task with `later` must wait for an unfinished one with this, or may not run beside it.
    pub fn holds_up(&self, later: &Dependence, runs: bool) -> bool {
        let all = (self.kind | later.kind) & kind::ALL != 0;
        if !all && self.address != later.address {
            return false;
        }
        match (self.kind & kind::NOT_IN, later.kind & kind::NOT_IN) {
            (0, 0) | (kind::SET, kind::SET) => false,
            (kind::MUTEX, kind::MUTEX) => runs,
            _ => true,
        }
    }

    /// Whether the two only exclude each other, in whichever order they come.
    pub(super) fn excludes(&self, other: &Dependence) -> bool {
        self.kind & other.kind & kind::MUTEX != 0 && self.address == other.address
    }
}

/// The dependences of a task as a compiler passes them: two lists.
#[derive(Clone, Copy)]
pub struct Dependences {
    lists: [(*const Dependence, u32); 2],
}

impl Dependences {
    /// No dependence.
    pub const NONE: Self = Self { lists: [(core::ptr::null(), 0); 2] };

    /// # Safety
    /// The lists must have so many items, for as long as this is used.
    #[inline(always)]
    pub unsafe fn new(count: i32, list: *const Dependence, more_count: i32, more: *const Dependence) -> Self {
        Self { lists: [(list, count.max(0) as u32), (more, more_count.max(0) as u32)] }
    }

    /// Whether `holds` of any of them.
    pub(super) fn any(&self, holds: impl Fn(&Dependence) -> bool) -> bool {
        let [first, second] = self.lists;
        let in_list = |(list, count): (*const Dependence, u32)| {
            let mut i = 0;
            while i < count {
                // SAFETY: an item of the list.
                if holds(unsafe { &*list.add(i as usize) }) {
                    return true;
                }
                i += 1;
            }
            false
        };
        in_list(first) || in_list(second)
    }

    /// Whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        let [(_, first), (_, second)] = self.lists;
        first + second == 0
    }

    /// A copy in a block of its own; there must be something to copy.
    ///
    /// # Safety
    /// The lists must be there.
    pub(super) unsafe fn copied(&self) -> Self {
        let [(first, first_count), (second, second_count)] = self.lists;
        let count = first_count + second_count;
        let copy = blocks::take(u64::from(count) * size_of::<Dependence>() as u64).cast::<Dependence>();
        // SAFETY: as the caller promises; the copy has room for all.
        unsafe {
            memory::copy_elements(copy, first, first_count.into());
            memory::copy_elements(copy.add(first_count as usize), second, second_count.into());
        }
        Self { lists: [(copy, count), (core::ptr::null(), 0)] }
    }

    /// Gives the block of a copy back.
    ///
    /// # Safety
    /// This must be what [`Self::copied`] made, and not used again.
    pub(super) unsafe fn drop_copy(&self) {
        let [(copy, count), _] = self.lists;
        if count != 0 {
            // SAFETY: as the caller promises.
            unsafe { blocks::give(copy.cast_mut().cast()) }
        }
    }
}
