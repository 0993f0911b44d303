//! What a thread notes about its tasks, once it has to: see the head of [`super`].
//!
//! A record can begin in the middle of tasks and taskgroups of which nothing was noted. That is enough: nothing that
//! anybody could wait for happened before it, so a task only needs a name from then on, and the end of a task or
//! group that nobody noted says that the thread is back in one without a name.

use super::{blocks, deferred, deferred::Entry, group, group::Group, level, task::Task};
use crate::{arch, state};
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Which task a thread is in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Current {
    /// Its name; that of no other task of the thread.
    pub name: u32,
    /// Tasks of the thread with greater names descend from it, of those that are unfinished.
    pub since: u32,
}

impl Current {
    /// Nothing was noted.
    pub const UNKNOWN: Self = Self { name: 0, since: 0 };
}

/// The notes of one thread.
pub struct Record {
    /// Its current task.
    pub current: Current,
    last_name: u32,
    /// Level of the region in which the record began; it ends with it.
    level: u32,
    /// The innermost taskgroup that has a description.
    pub group: *mut Group,
    /// What the events of tasks that were discarded point to.
    pub discarded: *mut Entry,
    /// Unfinished tasks in the order in which they were met.
    pub entries: *mut Entry,
}

/// Not 0 once any thread of the program had a record. Written where records begin and nowhere else: in a program that
/// cannot have one it is the constant 0, and all that is done for records goes. What a thread reads concerns records that
/// it began itself: no order.
static ANY: AtomicU32 = AtomicU32::new(0);

/// Whether this thread can have a record.
#[inline(always)]
pub fn possible() -> bool {
    // SAFETY: a word of the program.
    state::has_records() != 0 && unsafe { arch::unordered_load_u32(ANY.as_ptr()) != 0 }
}

impl Record {
    /// A name for a task.
    pub fn new_name(&mut self) -> u32 {
        self.last_name += 1;
        self.last_name
    }

    /// Whether the record began in a region of this level, and so may have missed the start of a group there.
    pub fn began_at(&self, level: u32) -> bool {
        self.level == level
    }
}

/// States of the word `TASK_TABLE_STATE`.
const NO_TABLE: u32 = 0;
const TABLE_IN_WORK: u32 = 1;
const TABLE_READY: u32 = 2;

fn table_state() -> *mut u32 {
    (&raw mut state::TASK_TABLE_STATE).cast()
}

/// This thread's slot of the table.
///
/// # Safety
/// The table must be ready.
unsafe fn slot() -> *mut *mut Record {
    // SAFETY: the table has a slot for each thread of the block.
    unsafe { (&raw const state::TASK_TABLE).cast::<*mut *mut Record>().read().add(arch::tid() as usize) }
}

/// Makes the table, once for the team.
fn make_table() {
    // SAFETY: the word excludes all but one maker, and the table is published behind its zeros.
    unsafe {
        if arch::block_cas_u32(table_state(), NO_TABLE, TABLE_IN_WORK) == NO_TABLE {
            let threads = arch::ntid() as usize;
            let table = blocks::take((threads * size_of::<*mut Record>()) as u64).cast::<*mut Record>();
            let mut thread = 0;
            while thread < threads {
                table.add(thread).write(core::ptr::null_mut());
                thread += 1;
            }
            (&raw mut state::TASK_TABLE).cast::<*mut *mut Record>().write(table);
            arch::block_store_u32(table_state(), TABLE_READY);
        }
        while arch::block_load_u32(table_state()) != TABLE_READY {
            arch::backoff(64);
        }
    }
    // From now on barriers and ends of regions look for records.
    state::set_has_records(1);
    ANY.store(1, Relaxed);
}

/// Frees the table. Only for the last thread that can use it.
pub fn drop_table() {
    // SAFETY: as this function says.
    unsafe {
        if arch::block_load_u32(table_state()) == TABLE_READY {
            blocks::give((&raw const state::TASK_TABLE).cast::<*mut u8>().read());
            arch::block_store_u32(table_state(), NO_TABLE);
        }
    }
}

/// This thread's record, or null. Only this thread uses it, and it stays until [`drop_mine`].
pub fn mine() -> *mut Record {
    // SAFETY: with the table ready the slot holds null or this thread's record.
    unsafe {
        if arch::block_load_u32(table_state()) == TABLE_READY { slot().read() } else { core::ptr::null_mut() }
    }
}

/// This thread's record, begun if there is none.
pub fn mine_or_new() -> *mut Record {
    let record = mine();
    if !record.is_null() {
        return record;
    }
    make_table();
    let record = blocks::take(size_of::<Record>() as u64).cast::<Record>();
    // SAFETY: a new block, and this thread's slot.
    unsafe {
        record.write(Record {
            // A name must differ from `UNKNOWN`.
            current: Current { name: 1, since: 0 },
            last_name: 1,
            level: level(),
            group: core::ptr::null_mut(),
            discarded: core::ptr::null_mut(),
            entries: core::ptr::null_mut(),
        });
        slot().write(record);
    }
    record
}

/// Ends this thread's record if it began in a region of `level` or deeper. It must have no unfinished tasks.
pub fn drop_mine(level: u32) {
    let record = mine();
    if record.is_null() {
        return;
    }
    // SAFETY: this thread's record, which nobody knows any more when its slot is empty.
    unsafe {
        group::drop_all(record, level);
        if (*record).level >= level {
            slot().write(core::ptr::null_mut());
            deferred::drop_discarded(record);
            blocks::give(record.cast());
        }
    }
}

/// `task` starts.
///
/// # Safety
/// It must be a task that starts now.
#[cold]
#[inline(never)]
pub unsafe fn enter(task: *mut Task) {
    // SAFETY: as the caller promises.
    unsafe {
        let record = mine();
        if record.is_null() {
            return;
        }
        (*task).outer = (*record).current;
        let name = (*record).new_name();
        (*record).current = Current { name, since: name };
        deferred::use_icvs((*task).entry);
    }
}

/// `task` ends.
///
/// # Safety
/// It must be this thread's innermost task.
#[cold]
#[inline(never)]
pub unsafe fn leave(task: *mut Task) {
    let record = mine();
    if record.is_null() {
        return;
    }
    // SAFETY: this thread's record; the rest as the caller promises.
    unsafe {
        (*record).current = if (*task).outer == Current::UNKNOWN {
            Current { name: (*record).new_name(), since: 0 }
        } else {
            (*task).outer
        };
    }
}
