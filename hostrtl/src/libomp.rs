//! What the host runtime asks of libomp. Found at run time, as weak symbols are: a program without libomp still runs.

use crate::env::OffloadKind;
use abi::ident::Ident;
use core::ffi::{CStr, c_int, c_void};
use core::ptr::{null, null_mut};
use std::sync::OnceLock;

/// A function of another library.
struct Import<F> {
    name: &'static CStr,
    address: OnceLock<Option<F>>,
}

impl<F: Copy> Import<F> {
    /// # Safety
    /// `F` is the type of a pointer to the function of this name, with its C signature.
    const unsafe fn new(name: &'static CStr) -> Self {
        assert!(size_of::<F>() == size_of::<*mut c_void>());
        Self { name, address: OnceLock::new() }
    }

    fn get(&self) -> Option<F> {
        *self.address.get_or_init(|| {
            // SAFETY: a C string; the default handle searches all loaded libraries.
            let symbol = unsafe { libc::dlsym(libc::RTLD_DEFAULT, self.name.as_ptr()) };
            // SAFETY: not null, and of this type by the contract of `new`.
            (!symbol.is_null()).then(|| unsafe { core::mem::transmute_copy::<*mut c_void, F>(&symbol) })
        })
    }
}

macro_rules! imports {
    ($($static:ident: $name:literal fn($($argument:ty),*) $(-> $result:ty)?;)*) => {$(
        // SAFETY: libomp declares the function so (kmp.h, omp.h).
        static $static: Import<unsafe extern "C" fn($($argument),*) $(-> $result)?> = unsafe { Import::new($name) };
    )*};
}
imports! {
    OFFLOAD_KIND: c"__kmpc_get_target_offload" fn() -> c_int;
    DEFAULT_DEVICE: c"omp_get_default_device" fn() -> c_int;
    THREAD: c"__kmpc_global_thread_num" fn(*const Ident) -> i32;
    TASK_ALLOC: c"__kmpc_omp_target_task_alloc"
        fn(*const Ident, i32, i32, usize, usize, TaskEntry, i64) -> *mut Task;
    TASK_WITH_DEPS: c"__kmpc_omp_task_with_deps"
        fn(*const Ident, i32, *mut Task, i32, *const Dependence, i32, *const Dependence) -> i32;
    TASKWAIT: c"__kmpc_omp_taskwait" fn(*const Ident, i32) -> i32;
    HAS_TASK_TEAM: c"__kmpc_omp_has_task_team" fn(i32) -> bool;
    ASYNC_HANDLE: c"__kmpc_omp_get_target_async_handle_ptr" fn(i32) -> *mut *mut c_void;
    WAIT_DEPS: c"__kmpc_omp_wait_deps"
        fn(*const Ident, i32, i32, *const Dependence, i32, *const Dependence);
}

/// The offload policy that libomp parsed from `OMP_TARGET_OFFLOAD`; `None` without libomp.
pub fn offload_kind() -> Option<OffloadKind> {
    // SAFETY: may be called at any time, by any thread.
    OFFLOAD_KIND.get().map(|function| unsafe { function() }).map(|value| match value {
        0 => OffloadKind::Disabled,
        2 => OffloadKind::Mandatory,
        _ => OffloadKind::Default,
    })
}

/// The default device of this thread; 0 without libomp.
pub fn default_device() -> c_int {
    // SAFETY: may be called at any time, by any thread.
    DEFAULT_DEVICE.get().map_or(0, |function| unsafe { function() })
}

/// The place for a handle in the target task that this thread runs; `None` when there is none, or it is in use already.
pub fn async_handle() -> Option<*mut *mut c_void> {
    let (thread, has_team, place) = (THREAD.get()?, HAS_TASK_TEAM.get()?, ASYNC_HANDLE.get()?);
    // SAFETY: a thread may ask for its number at any time, and by that number for its task.
    let place = unsafe {
        let thread = thread(null());
        // Without a team for tasks nobody would come back to the task.
        if has_team(thread) { place(thread) } else { null_mut() }
    };
    // SAFETY: not null, so a place in the task, which only this thread uses now.
    (!place.is_null() && unsafe { place.read() }.is_null()).then_some(place)
}

/// One dependence of a task (`kmp_depend_info_t`).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Dependence {
    /// Address of the list item.
    pub base: isize,
    /// Bytes of it.
    pub length: usize,
    /// Kinds of the dependence: bits.
    pub flags: u8,
}

/// A task as libomp lays it out (`kmp_task_t`).
#[repr(C)]
struct Task {
    shareds: *mut c_void,
    routine: Option<TaskEntry>,
    part: i32,
    data: [u64; 2],
}

type TaskEntry = unsafe extern "C" fn(i32, *mut Task) -> i32;

/// What a task does.
type Work = Box<dyn FnOnce() + Send>;

/// Task flag: a thread of libomp's own runs it, so that the program's threads go on.
const HIDDEN_HELPER: i32 = 1 << 7;

/// Runs `work` as a target task, when the dependences allow it. Without libomp nothing can depend on anything, and the
/// work is done at once. False: libomp made no task.
pub fn target_task(work: Work, dependences: &[Dependence]) -> bool {
    let (Some(thread), Some(alloc), Some(start)) = (THREAD.get(), TASK_ALLOC.get(), TASK_WITH_DEPS.get())
    else {
        work();
        return true;
    };
    let Ok(count) = i32::try_from(dependences.len()) else { return false };
    // SAFETY: libomp takes a null location; the size is that of its task structure, and the routine that of such a task.
    unsafe {
        let thread = thread(null());
        let task = alloc(null(), thread, HIDDEN_HELPER, size_of::<Task>(), 0, run_task, -1);
        if task.is_null() {
            return false;
        }
        (*task).shareds = Box::into_raw(Box::new(work)).cast();
        start(null(), thread, task, count, dependences.as_ptr(), 0, null());
    }
    true
}

/// # Safety
/// `task` is a task of [`target_task`], which has not run yet.
unsafe extern "C" fn run_task(_thread: i32, task: *mut Task) -> i32 {
    // SAFETY: `target_task` put the box there, and libomp runs a task once.
    let work = unsafe { Box::from_raw((*task).shareds.cast::<Work>()) };
    // SAFETY: the task lives while it runs.
    unsafe { (*task).shareds = null_mut() };
    work();
    0
}

/// Waits for the tasks that the calling task has started. Without libomp there are none.
pub fn finish_tasks() {
    if let (Some(thread), Some(wait)) = (THREAD.get(), TASKWAIT.get()) {
        // SAFETY: a thread may ask for its number at any time, and by that number wait in its task. libomp takes a null
        // location.
        unsafe { wait(null(), thread(null())) };
    }
}

/// Waits until the dependences of the calling task are met. Without libomp there is nothing to wait for.
///
/// # Safety
/// The lists are null or have as many elements as their counts say; `thread` is libomp's number of this thread.
pub unsafe fn wait_for(
    ident: *const Ident,
    thread: i32,
    (count, list): (i32, *const Dependence),
    (noalias_count, noalias): (i32, *const Dependence),
) {
    if count <= 0 && noalias_count <= 0 {
        return;
    }
    if let Some(wait) = WAIT_DEPS.get() {
        // SAFETY: the contract of this function.
        unsafe { wait(ident, thread, count.max(0), list, noalias_count.max(0), noalias) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering};

    #[test]
    fn a_missing_function_is_none_and_a_present_one_is_called() {
        // SAFETY: there is no such function.
        static MISSING: Import<extern "C" fn()> = unsafe { Import::new(c"no_such_function_anywhere") };
        assert!(MISSING.get().is_none());
        // SAFETY: the signature of getppid.
        static PRESENT: Import<extern "C" fn() -> c_int> = unsafe { Import::new(c"getppid") };
        assert!(PRESENT.get().is_some_and(|getppid| getppid() > 0));
    }

    #[test]
    fn without_libomp_a_task_runs_at_once() {
        static RAN: AtomicBool = AtomicBool::new(false);
        assert!(target_task(Box::new(|| RAN.store(true, Ordering::Relaxed)), &[]));
        assert!(RAN.load(Ordering::Relaxed));
    }

    #[test]
    fn layouts_are_those_of_libomp() {
        assert_eq!((size_of::<Dependence>(), core::mem::offset_of!(Dependence, flags)), (24, 16));
        assert_eq!((size_of::<Task>(), core::mem::offset_of!(Task, routine)), (40, 8));
    }
}
