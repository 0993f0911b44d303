//! Tasks that can be unfinished when others start: detachable ones, whose event somebody fulfils later, and those that
//! must wait for them. Each thread has them in a list, in the order in which it met them.

use super::{
    blocks, dependence::Dependences, group, group::Group, level, record, record::Record, task, task::Task,
};
use crate::{arch, state, state::Icvs};
use abi::ident::Ident;

/// An unfinished task. Its address is the event of a detachable one.
#[repr(C)]
pub struct Entry {
    /// Not 0 once the event is fulfilled. Any thread may write it, the last time that it touches the entry.
    event: u32,
    /// Whether the event counts.
    detachable: bool,
    /// Whether it has begun to run, and whether it has run.
    started: bool,
    done: bool,
    /// The ICVs of the task that made it, as they were then (OpenMP 5.2, 2.3: how the values of ICVs are inherited).
    icvs: Icvs,
    /// Name of the entry, and of the task that made it.
    pub name: u32,
    parent: u32,
    /// Level of the region of both.
    level: u32,
    /// Null once it has run, and of a `taskwait nowait`.
    task: *mut Task,
    /// Innermost taskgroup.
    group: *mut Group,
    dependences: Dependences,
    next: *mut Entry,
}

/// For what a thread waits.
#[derive(Clone, Copy)]
pub enum Until {
    /// The children of the current task.
    Children,
    /// The tasks of this group.
    Group(*const Group),
    /// The tasks that descend from the implicit task of this level.
    Level(u32),
    /// The task with this name.
    Named(u32),
    /// Siblings that hold up a task with these.
    Met(Dependences),
}

/// An entry for `task`, in no list yet.
fn new_entry(task: *mut Task, detachable: bool) -> *mut Entry {
    let entry = blocks::take(size_of::<Entry>() as u64).cast::<Entry>();
    // SAFETY: a new block.
    unsafe {
        entry.write(Entry {
            event: 0,
            detachable,
            started: false,
            done: false,
            icvs: Icvs::of_task(),
            name: 0,
            parent: 0,
            level: 0,
            task,
            group: core::ptr::null_mut(),
            dependences: Dependences::NONE,
            next: core::ptr::null_mut(),
        });
    }
    entry
}

/// Takes an entry out of its thread's list, whose task is finished or will not run; whoever waited for it sees that.
///
/// # Safety
/// The entry must be in the list of `record`, which is this thread's.
unsafe fn remove(record: *mut Record, entry: *mut Entry) {
    // SAFETY: as the caller promises.
    unsafe {
        let mut link = &raw mut (*record).entries;
        while *link != entry {
            link = &raw mut (**link).next;
        }
        *link = (*entry).next;
        (*entry).dependences.drop_copy();
        if (*entry).detachable && arch::device_load_u32(&raw mut (*entry).event) == 0 {
            return discard(record, entry);
        }
        blocks::give(entry.cast());
    }
}

/// Keeps the entry of a task that will not run: the task that made it has its event, and may fulfil it.
///
/// # Safety
/// The record must be this thread's, the entry in no list.
unsafe fn discard(record: *mut Record, entry: *mut Entry) {
    // SAFETY: as the caller promises; of the others, those whose event is fulfilled are known to nobody.
    unsafe {
        let mut link = &raw mut (*record).discarded;
        while !(*link).is_null() {
            let other = *link;
            if arch::device_load_u32(&raw mut (*other).event) != 0 {
                *link = (*other).next;
                blocks::give(other.cast());
            } else {
                link = &raw mut (*other).next;
            }
        }
        (*entry).next = core::ptr::null_mut();
        *link = entry;
    }
}

/// Frees the entries of tasks that were discarded.
///
/// # Safety
/// Nobody must fulfil their events any more.
pub unsafe fn drop_discarded(record: *mut Record) {
    // SAFETY: as the caller promises.
    unsafe {
        while !(*record).discarded.is_null() {
            let entry = (*record).discarded;
            (*record).discarded = (*entry).next;
            blocks::give(entry.cast());
        }
    }
}

/// A task starts: it has the ICVs of the task that made it, as they were then.
///
/// # Safety
/// `entry` must be null or that of the current task, which has just begun.
pub unsafe fn use_icvs(entry: *const Entry) {
    // SAFETY: as the caller promises.
    unsafe {
        if !entry.is_null() {
            (*entry).icvs.use_in_task();
        }
    }
}

/// Appends an entry to the list, as a child of the current task with these dependences.
///
/// # Safety
/// The entry must be new, the record this thread's, the dependences there.
unsafe fn append(record: *mut Record, entry: *mut Entry, dependences: Dependences) {
    // SAFETY: as the caller promises.
    unsafe {
        if !dependences.is_empty() {
            (*entry).dependences = dependences.copied();
        }
        (*entry).name = (*record).new_name();
        (*entry).parent = (*record).current.name;
        (*entry).level = level();
        (*entry).group = group::innermost(record);
        let mut link = &raw mut (*record).entries;
        while !(*link).is_null() {
            link = &raw mut (**link).next;
        }
        *link = entry;
    }
}

/// Whether a child `parent` at `level` with these dependences is held up by a sibling; `entry` is its own, or null if
/// it is the youngest.
///
/// # Safety
/// The record must be this thread's.
unsafe fn held_up(
    record: *const Record,
    entry: *const Entry,
    parent: u32,
    level: u32,
    dependences: &Dependences,
) -> bool {
    // SAFETY: the entries of the list live, with their dependences.
    unsafe {
        let (mut other, mut older) = ((*record).entries.cast_const(), true);
        while !other.is_null() {
            if other == entry {
                older = false;
            } else if (*other).parent == parent && (*other).level == level {
                let runs = (*other).started;
                let conflict = (*other).dependences.any(|theirs| {
                    dependences.any(|ours| {
                        if older { theirs.holds_up(ours, runs) } else { runs && theirs.excludes(ours) }
                    })
                });
                if conflict {
                    return true;
                }
            }
            other = (*other).next;
        }
    }
    false
}

/// Drops the entries of tasks that are finished.
///
/// # Safety
/// The record must be this thread's.
unsafe fn sweep(record: *mut Record) {
    // SAFETY: the entries of the list live; one that is removed is not read again.
    unsafe {
        let mut entry = (*record).entries;
        while !entry.is_null() {
            let next = (*entry).next;
            if (*entry).done && (!(*entry).detachable || arch::device_load_u32(&raw mut (*entry).event) != 0)
            {
                remove(record, entry);
            }
            entry = next;
        }
    }
}

/// Whether nothing is left for which `until` waits.
///
/// # Safety
/// The record must be this thread's.
unsafe fn reached(record: *const Record, until: &Until) -> bool {
    // SAFETY: the entries of the list live.
    unsafe {
        let level = level();
        let parent = (*record).current.name;
        if let Until::Met(dependences) = until {
            return !held_up(record, core::ptr::null(), parent, level, dependences);
        }
        let mut entry = (*record).entries;
        while !entry.is_null() {
            let counts = match *until {
                Until::Children => (*entry).parent == parent && (*entry).level == level,
                Until::Group(group) => core::ptr::eq((*entry).group, group),
                Until::Level(level) => (*entry).level == level,
                Until::Named(name) => (*entry).name == name,
                Until::Met(_) => false,
            };
            if counts {
                return false;
            }
            entry = (*entry).next;
        }
    }
    true
}

/// Runs a task that may start now, if there is one. It must descend from the current task (OpenMP 5.2, 12.9: no other
/// tied task may start while that one is suspended).
///
/// # Safety
/// The record must be this thread's.
unsafe fn run_one(record: *mut Record) -> bool {
    // SAFETY: the entries of the list live. The record stays: it began before this task, in a region that has not ended.
    unsafe {
        let level = level();
        let mut entry = (*record).entries;
        while !entry.is_null() {
            let may_start = !(*entry).started
                && (*entry).level == level
                && (*entry).name > (*record).current.since
                && !held_up(record, entry, (*entry).parent, level, &(*entry).dependences);
            if may_start {
                start(record, entry);
                return true;
            }
            entry = (*entry).next;
        }
    }
    false
}

/// Runs the task of an entry.
///
/// # Safety
/// The record must be this thread's, the entry in its list and not started.
unsafe fn start(record: *mut Record, entry: *mut Entry) {
    let gtid = state::thread_num() as i32;
    // SAFETY: as the caller promises.
    unsafe {
        (*entry).started = true;
        let task = (*entry).task;
        if task.is_null() {
            return has_run(entry);
        }
        if group::is_cancelled((*entry).group) {
            task::discard(gtid, task);
            return remove(record, entry);
        }
        let group = (*record).group;
        (*record).group = (*entry).group;
        task::run(gtid, task);
        (*record).group = group;
    }
}

/// Runs tasks until `until` is reached.
#[cold]
#[inline(never)]
pub fn wait(until: Until) {
    let record = record::mine();
    if record.is_null() {
        return;
    }
    // SAFETY: this thread's record.
    unsafe {
        loop {
            sweep(record);
            if reached(record, &until) {
                return;
            }
            if !run_one(record) {
                arch::backoff(64);
            }
        }
    }
}

/// The task of an entry has run, or will not.
///
/// # Safety
/// The entry must be in this thread's list.
#[cold]
#[inline(never)]
pub(super) unsafe fn has_run(entry: *mut Entry) {
    // SAFETY: as the caller promises.
    unsafe {
        (*entry).task = core::ptr::null_mut();
        (*entry).done = true;
        sweep(record::mine());
    }
}

/// Notes a detachable task that is about to run.
///
/// # Safety
/// `task` must have an entry that is in no list.
#[cold]
#[inline(never)]
pub(super) unsafe fn note(task: *mut Task, dependences: Dependences) {
    // SAFETY: as the caller promises; who has an entry has a record.
    unsafe {
        append(record::mine(), (*task).entry, dependences);
        (*(*task).entry).started = true;
    }
}

/// Whether a new task may run at once. If not it was kept for later, or discarded.
///
/// # Safety
/// `task` must be a new task with these dependences.
#[cold]
#[inline(never)]
pub(super) unsafe fn may_run(gtid: i32, task: *mut Task, dependences: Dependences) -> bool {
    let record = record::mine();
    if record.is_null() {
        return true;
    }
    // SAFETY: this thread's record; the rest as the caller promises.
    unsafe {
        if group::is_current_cancelled(record) {
            if !(*task).entry.is_null() {
                discard(record, (*task).entry);
            }
            task::discard(gtid, task);
            return false;
        }
        sweep(record);
        if held_up(record, core::ptr::null(), (*record).current.name, level(), &dependences) {
            // In a final task nothing holds a child up: there may be no `detach` (OpenMP 5.2, 12.5.2).
            if (*task).entry.is_null() {
                (*task).entry = new_entry(task, false);
            }
            append(record, (*task).entry, dependences);
            return false;
        }
        if !(*task).entry.is_null() {
            note(task, dependences);
        }
    }
    true
}

/// Runs a task that may start now, if there is one.
#[cold]
#[inline(never)]
pub(super) fn yield_once() {
    let record = record::mine();
    if !record.is_null() {
        // SAFETY: this thread's record.
        unsafe {
            sweep(record);
            run_one(record);
        }
    }
}

/// An empty task with these dependences.
///
/// # Safety
/// The lists must be there.
#[cold]
#[inline(never)]
pub(super) unsafe fn add_empty_task(dependences: Dependences) {
    let record = record::mine();
    if !record.is_null() {
        // SAFETY: this thread's record; the rest as the caller promises.
        unsafe { append(record, new_entry(core::ptr::null_mut(), false), dependences) };
    }
}

/// `task detach`: the task is finished when it has run and this event is fulfilled.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_task_allow_completion_event(
    _loc: *const Ident,
    _gtid: i32,
    task: *mut task::Public,
) -> *mut Entry {
    record::mine_or_new();
    // SAFETY: the compiler's task.
    unsafe {
        let task = Task::of(task);
        (*task).entry = new_entry(task, true);
        (*task).entry
    }
}

/// Not a task scheduling point: what becomes ready runs where its thread waits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_fulfill_event(event: u64) {
    // SAFETY: the address of an entry, whose first word this is; its thread keeps it until now.
    unsafe { arch::device_store_u32(event as *mut u32, 1) }
}
