//! Taskgroups. As tasks run at once there is nothing to wait for at the end of one, unless its thread has a record.
//!
//! Then a group is described when it begins; one that has begun before the record, when something belongs to it: an unfinished
//! task, a reduction, its cancellation.

use super::{
    blocks, deferred, level, record,
    record::Record,
    reduction::{self, Reduction},
};
use abi::ident::Ident;

/// A taskgroup.
pub struct Group {
    /// The next one outside that is described.
    pub outer: *mut Group,
    /// Level of its region.
    level: u32,
    cancelled: bool,
    /// Its reductions, the last one first.
    pub reductions: *mut Reduction,
}

/// The innermost group, which is described from now on; null if there is none.
///
/// # Safety
/// The record must be this thread's.
pub unsafe fn innermost(record: *mut Record) -> *mut Group {
    let level = level();
    // SAFETY: as the caller promises; the groups of a record live.
    unsafe {
        let group = (*record).group;
        if !group.is_null() && (*group).level == level {
            group
        } else if (*record).began_at(level) {
            // One that may have begun before the record. If there is none, its end never comes and the description goes with the record.
            push(record)
        } else {
            core::ptr::null_mut()
        }
    }
}

/// Describes a group inside of the one that is the innermost until now.
///
/// # Safety
/// The record must be this thread's.
unsafe fn push(record: *mut Record) -> *mut Group {
    let new = blocks::take(size_of::<Group>() as u64).cast::<Group>();
    // SAFETY: a new block, and as the caller promises.
    unsafe {
        let outer = (*record).group;
        new.write(Group { outer, level: level(), cancelled: false, reductions: core::ptr::null_mut() });
        (*record).group = new;
    }
    new
}

/// Drops the innermost described group.
///
/// # Safety
/// The record must be this thread's and have one, to which no unfinished task belongs.
unsafe fn pop(record: *mut Record) {
    // SAFETY: as the caller promises.
    unsafe {
        let group = (*record).group;
        (*record).group = (*group).outer;
        blocks::give(group.cast());
    }
}

/// Drops all groups of regions of `level` or deeper.
///
/// # Safety
/// The record must be this thread's, with no unfinished task in those regions.
pub unsafe fn drop_all(record: *mut Record, level: u32) {
    // SAFETY: as the caller promises; the groups of a record live.
    unsafe {
        while !(*record).group.is_null() && (*(*record).group).level >= level {
            pop(record);
        }
    }
}

/// Whether tasks of the group shall not start any more.
///
/// # Safety
/// The group must be null or live.
pub unsafe fn is_cancelled(group: *const Group) -> bool {
    // SAFETY: as the caller promises.
    !group.is_null() && unsafe { (*group).cancelled }
}

/// Whether the innermost group was cancelled.
///
/// # Safety
/// The record must be this thread's.
pub unsafe fn is_current_cancelled(record: *const Record) -> bool {
    // SAFETY: as the caller promises. What was not described was not cancelled.
    unsafe { is_cancelled((*record).group) && (*(*record).group).level == level() }
}

/// `cancel taskgroup`: tasks of the innermost group that have not started do not.
#[cold]
#[inline(never)]
pub fn cancel() {
    let record = record::mine_or_new();
    // SAFETY: this thread's record.
    unsafe {
        let group = innermost(record);
        if !group.is_null() {
            (*group).cancelled = true;
        }
    }
}

/// Whether the innermost taskgroup was cancelled, for `cancellation point taskgroup`.
#[inline(always)]
pub fn cancelled() -> bool {
    record::possible() && my_group_is_cancelled()
}

#[cold]
#[inline(never)]
fn my_group_is_cancelled() -> bool {
    let record = record::mine();
    // SAFETY: this thread's record.
    !record.is_null() && unsafe { is_current_cancelled(record) }
}

/// A taskgroup begins.
#[inline(always)]
pub fn begin() {
    if record::possible() {
        describe();
    }
}

#[cold]
#[inline(never)]
fn describe() {
    let record = record::mine();
    if !record.is_null() {
        // SAFETY: this thread's record.
        unsafe { push(record) };
    }
}

/// The innermost taskgroup ends: its tasks are finished.
#[inline(always)]
pub fn end() {
    if record::possible() {
        end_described();
    }
}

#[cold]
#[inline(never)]
fn end_described() {
    let record = record::mine();
    if record.is_null() {
        return;
    }
    // SAFETY: this thread's record, whose groups live.
    unsafe {
        let group = (*record).group;
        if !group.is_null() && (*group).level == level() {
            deferred::wait(deferred::Until::Group(group));
            reduction::combine(group);
            pop(record);
        }
    }
}

#[allow(missing_docs)]
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_taskgroup(_loc: *const Ident, _gtid: i32) {
    begin()
}

#[allow(missing_docs)]
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_end_taskgroup(_loc: *const Ident, _gtid: i32) {
    end()
}
