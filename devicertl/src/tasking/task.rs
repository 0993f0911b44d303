//! One task: its descriptor, its start, run and end.

use super::{
    blocks, deferred,
    dependence::{Dependence, Dependences},
    level, record,
};
use crate::{
    arch::{self, Code},
    memory, state,
    state::par,
};
use abi::ident::Ident;
use core::{ffi::c_void, mem::MaybeUninit};

/// Flags that a compiler gives a task (`kmp.h`: `kmp_tasking_flags`).
mod flags {
    /// Not in parts: it is not started again.
    pub const TIED: u32 = 1;
    /// `final` holds.
    pub const FINAL: u32 = 2;
    /// It has a function that destroys its variables.
    pub const DESTRUCTORS: u32 = 8;
}

/// Marks of the blocks of tasks, for [`blocks::marked`].
pub mod mark {
    /// The task runs: it has started and not ended.
    pub const RUNS: u32 = 1;
    /// It is final, as the compiler's flag says.
    pub const FINAL: u32 = super::flags::FINAL;
    /// A part of an untied task asks for the next one.
    pub(super) const AGAIN: u32 = 4;
}

/// What compilers know of a task (`kmp.h`: `kmp_task_t`). Its private variables follow, then what it shares.
#[repr(C)]
pub struct Public {
    shareds: *mut u8,
    routine: Code,
    part: i32,
    destructors: Code,
    /// Not used: max-task-priority-var is 0 (OpenMP 5.2, 12.4: larger values count as this).
    priority: u64,
}

/// The bytes of a task behind its descriptor are a multiple of this, to be copied in few steps.
const WORD: u64 = size_of::<u128>() as u64;

/// A task, in front of its [`Public`] part. It is a block of [`blocks`].
#[repr(C, align(16))]
pub struct Task {
    flags: u32,
    /// Bytes from the public part on.
    bytes: u32,
    /// Where in them the shared part begins; 0 if there is none.
    shareds_at: u32,
    /// What its thread goes back to when it ends.
    pub(super) outer: record::Current,
    /// If it can be unfinished when others start.
    pub(super) entry: *mut deferred::Entry,
    icvs: Icvs,
}

/// ICVs to go back to: the thread's state, or in the serial part of a kernel the team's variables.
#[derive(Clone, Copy)]
struct Icvs {
    own: *mut state::More,
    team: state::Icvs,
}

impl Task {
    /// The task of a compiler's pointer.
    ///
    /// # Safety
    /// `public` must come from [`new`].
    #[inline(always)]
    pub unsafe fn of(public: *mut Public) -> *mut Task {
        // SAFETY: as the caller promises.
        unsafe { public.cast::<Task>().sub(1) }
    }

    /// What compilers know of `task`.
    ///
    /// # Safety
    /// `task` must be a task.
    #[inline(always)]
    pub unsafe fn public(task: *mut Task) -> *mut Public {
        // SAFETY: it follows the task.
        unsafe { task.add(1).cast() }
    }

    /// # Safety
    /// `task` must be a task.
    #[inline(always)]
    pub(super) unsafe fn head(task: *mut Task) -> *mut blocks::Head {
        // SAFETY: a task is a block.
        unsafe { blocks::head(task.cast()) }
    }
}

/// A task with `bytes` of public part and private variables, and `shared_bytes` for what it shares.
#[inline(always)]
fn new(flags: u32, bytes: u64, shared_bytes: u64, routine: Code) -> *mut Public {
    // Right behind, as in libomp: flang's function that makes a copy's private data counts on it.
    let shareds_at = bytes.next_multiple_of(size_of::<*mut u8>() as u64);
    let all = (shareds_at + shared_bytes).next_multiple_of(WORD);
    let task = blocks::take(size_of::<Task>() as u64 + all).cast::<Task>();
    // SAFETY: a block that is large enough for the parts.
    unsafe {
        (*task).flags = flags;
        (*task).bytes = all as u32;
        (*task).shareds_at = if shared_bytes != 0 { shareds_at as u32 } else { 0 };
        (*task).entry = core::ptr::null_mut();
        let public = Task::public(task);
        (*public).shareds = if shared_bytes != 0 {
            public.cast::<u8>().add(shareds_at as usize)
        } else {
            core::ptr::null_mut()
        };
        (*public).routine = routine;
        (*public).part = 0;
        public
    }
}

/// A task that is `task` again, as a compiler made it: in `block`, an earlier copy that has run, or a new one if that is
/// null.
///
/// # Safety
/// `task` must be a task that has not run.
pub(super) unsafe fn copy(task: *mut Task, block: *mut Task) -> *mut Task {
    // SAFETY: as the caller promises; the copy has the same size, and blocks are whole words.
    unsafe {
        let (bytes, shareds_at) = ((*task).bytes, (*task).shareds_at);
        let copy = if block.is_null() {
            blocks::take(size_of::<Task>() as u64 + u64::from(bytes)).cast::<Task>()
        } else {
            block
        };
        (*copy).flags = (*task).flags;
        (*copy).bytes = bytes;
        (*copy).shareds_at = shareds_at;
        (*copy).entry = core::ptr::null_mut();
        let public = Task::public(copy);
        memory::copy_elements(
            public.cast(),
            Task::public(task).cast::<MaybeUninit<u128>>(),
            u64::from(bytes) / WORD,
        );
        if shareds_at != 0 {
            (*public).shareds = public.cast::<u8>().add(shareds_at as usize);
        }
        copy
    }
}

/// Counts a task of the serial code, where there is any.
#[inline(always)]
fn count_in_serial_code(change: u32) {
    if state::has_serial_code() {
        state::set_task_word(state::task_word().wrapping_add(change));
    }
}

/// The task starts on this thread. Returns its level.
///
/// # Safety
/// `task` must be a task that has not started.
#[inline(always)]
unsafe fn begin(task: *mut Task) -> u32 {
    // Asked once: each question is a step that openmp-opt takes for every task of the program.
    let this = state::this_thread();
    let level = par::level(this.current_par());
    // SAFETY: as the caller promises.
    unsafe {
        let head = Task::head(task);
        (*head).level = level;
        (*head).mark = mark::RUNS | (*task).flags & flags::FINAL;
        (*task).icvs.own = this.enter_task();
        if level == 0 {
            count_in_serial_code(1);
            state::save_team_icvs(&raw mut (*task).icvs.team);
        }
        (*task).outer = record::Current::UNKNOWN;
        if record::possible() {
            record::enter(task);
        }
    }
    level
}

/// The task of this level has run: its ICVs and variables go, its memory stays.
///
/// # Safety
/// `task` must be this thread's innermost task.
#[inline(always)]
unsafe fn end(gtid: i32, task: *mut Task, level: u32) {
    // SAFETY: as the caller promises.
    unsafe {
        if (*task).flags & flags::DESTRUCTORS != 0 {
            destroy(gtid, task);
        }
        if level == 0 {
            count_in_serial_code(1u32.wrapping_neg());
            state::restore_team_icvs(&raw const (*task).icvs.team);
        }
        state::leave_task((*task).icvs.own);
        if record::possible() {
            record::leave(task);
        }
        (*Task::head(task)).mark = 0;
    }
}

/// Destroys the task's variables.
///
/// # Safety
/// The task must have the flag.
#[inline(always)]
unsafe fn destroy(gtid: i32, task: *mut Task) {
    // SAFETY: the compiler wrote the function there.
    unsafe {
        let public = Task::public(task);
        arch::call_task((*public).destructors, gtid, public.cast());
    }
}

/// The memory goes, and whoever waits for the task learns that it has run.
///
/// # Safety
/// The task must have ended.
#[inline(always)]
unsafe fn finish(task: *mut Task) {
    // SAFETY: as the caller promises.
    unsafe {
        let entry = (*task).entry;
        blocks::give(task.cast());
        if record::possible() && !entry.is_null() {
            deferred::has_run(entry);
        }
    }
}

/// Runs the parts of an untied task that its last part asked for.
///
/// # Safety
/// The task must run, on this thread.
#[inline(always)]
unsafe fn run_more(gtid: i32, task: *mut Task) {
    // SAFETY: as the caller promises.
    unsafe {
        let (head, public) = (Task::head(task), Task::public(task));
        while (*task).flags & flags::TIED == 0 && (*head).mark & mark::AGAIN != 0 {
            (*head).mark &= !mark::AGAIN;
            arch::call_task((*public).routine, gtid, public.cast());
        }
    }
}

/// Runs the task, whose memory stays.
///
/// # Safety
/// It must not have started.
#[inline(always)]
unsafe fn run_to_end(gtid: i32, task: *mut Task) {
    // SAFETY: as the caller promises.
    unsafe {
        let level = begin(task);
        let public = Task::public(task);
        arch::call_task((*public).routine, gtid, public.cast());
        run_more(gtid, task);
        end(gtid, task, level);
    }
}

/// Runs the task.
///
/// # Safety
/// It must not have started, and is not to be used any more.
#[inline(always)]
unsafe fn run_inline(gtid: i32, task: *mut Task) {
    // SAFETY: as the caller promises.
    unsafe {
        run_to_end(gtid, task);
        finish(task);
    }
}

/// As [`run_inline`].
///
/// # Safety
/// As for [`run_inline`].
#[inline(never)]
pub(super) unsafe fn run(gtid: i32, task: *mut Task) {
    // SAFETY: as the caller promises.
    unsafe { run_inline(gtid, task) }
}

/// The task shall never run.
///
/// # Safety
/// It must not have started, and is not to be used any more.
#[cold]
pub(super) unsafe fn discard(gtid: i32, task: *mut Task) {
    // SAFETY: as the caller promises.
    unsafe {
        if (*task).flags & flags::DESTRUCTORS != 0 {
            destroy(gtid, task);
        }
        blocks::give(task.cast());
    }
}

/// A task is complete in its description: runs it, unless it must wait or its group was cancelled.
///
/// # Safety
/// `public` must be a task, with these dependences.
#[inline(always)]
unsafe fn submit(gtid: i32, public: *mut Public, dependences: Dependences) -> i32 {
    // SAFETY: as the caller promises.
    unsafe {
        let task = Task::of(public);
        if (*task).flags & flags::TIED == 0 && (*Task::head(task)).mark & mark::RUNS != 0 {
            // Not a new task: a part of this one has ended.
            (*Task::head(task)).mark |= mark::AGAIN;
        } else if !record::possible() || deferred::may_run(gtid, task, dependences) {
            run_inline(gtid, task);
        }
    }
    0
}

/// As [`submit`], for a part of a loop. Returns its block if that is free for another part, else null.
///
/// # Safety
/// `task` must be a task that has not started, and is not to be used any more.
#[inline(always)]
pub(super) unsafe fn submit_part(gtid: i32, task: *mut Task) -> *mut Task {
    // SAFETY: as the caller promises.
    unsafe {
        if !record::possible() || deferred::may_run(gtid, task, Dependences::NONE) {
            run_to_end(gtid, task);
            if (*task).entry.is_null() {
                return task;
            }
            finish(task);
        }
    }
    core::ptr::null_mut()
}

/// A task starts that openmp-opt does not look into: it knows `__kmpc_omp_task` alone, and takes a kernel with regions in
/// other tasks for one without regions inside each other. In serial code all tasks are counted.
#[inline(always)]
pub(super) fn may_hide_regions() {
    if level() != 0 {
        // All threads of the region that come here write the same: what is counted below stands still.
        state::set_task_word(state::task_word() | state::tasks::UNSEEN_REGIONS)
    }
}

/// The task's memory. `flags` says what its clauses are.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_omp_task_alloc(
    _loc: *const Ident,
    _gtid: i32,
    flags: i32,
    bytes: u64,
    shared_bytes: u64,
    routine: Code,
) -> *mut Public {
    new(flags as u32, bytes, shared_bytes, routine)
}

#[allow(missing_docs)]
#[unsafe(no_mangle)]
#[inline(always)]
pub unsafe extern "C" fn __kmpc_omp_task(_loc: *const Ident, gtid: i32, task: *mut Public) -> i32 {
    // SAFETY: the compiler's task.
    unsafe { submit(gtid, task, Dependences::NONE) }
}

#[allow(missing_docs)]
#[unsafe(no_mangle)]
#[inline(always)]
pub unsafe extern "C" fn __kmpc_omp_task_with_deps(
    _loc: *const Ident,
    gtid: i32,
    task: *mut Public,
    count: i32,
    list: *const Dependence,
    more_count: i32,
    more: *const Dependence,
) -> i32 {
    may_hide_regions();
    // SAFETY: the compiler's task and lists.
    unsafe { submit(gtid, task, Dependences::new(count, list, more_count, more)) }
}

/// `if(0)`: the compiled code calls the task itself, between this and `__kmpc_omp_task_complete_if0`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_omp_task_begin_if0(_loc: *const Ident, _gtid: i32, task: *mut Public) {
    // SAFETY: the compiler's task.
    unsafe {
        let task = Task::of(task);
        if record::possible() && !(*task).entry.is_null() {
            deferred::note(task, Dependences::NONE);
        }
        begin(task);
    }
}

#[allow(missing_docs)]
#[unsafe(no_mangle)]
#[inline(always)]
pub unsafe extern "C" fn __kmpc_omp_task_complete_if0(_loc: *const Ident, gtid: i32, task: *mut Public) {
    // SAFETY: the compiler's task.
    unsafe {
        let task = Task::of(task);
        run_more(gtid, task);
        // Asked again, not read from the head: it folds.
        end(gtid, task, level());
        let entry = (*task).entry;
        let name = if !record::possible() || entry.is_null() { 0 } else { (*entry).name };
        finish(task);
        if name != 0 {
            // An undeferred task is finished when its event is fulfilled, and not before.
            deferred::wait(deferred::Until::Named(name));
        }
    }
}

/// `affinity` is a hint about where a task runs (OpenMP 5.2, 12.5.1); it runs here.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_omp_reg_task_with_affinity(
    _loc: *const Ident,
    _gtid: i32,
    _task: *mut Public,
    _count: i32,
    _list: *const c_void,
) -> i32 {
    0
}
