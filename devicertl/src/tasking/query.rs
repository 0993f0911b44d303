//! What a program asks about its tasks.

use super::{blocks, level, record, task::mark};
use crate::state;

/// Whether this thread is in a task with all bits of `mark`, in the current region.
fn in_task(mark: u32) -> bool {
    let level = level();
    if blocks::marked(mark, level) {
        return true;
    }
    let record = if state::has_own() != 0 { record::mine() } else { core::ptr::null_mut() };
    // SAFETY: this thread's record.
    !record.is_null() && unsafe { (*record).has_marked(mark, level) }
}

/// Whether the current task is final or descends from a final one.
pub(super) fn in_final() -> bool {
    in_task(mark::RUNS | mark::FINAL)
}

#[allow(missing_docs)]
#[unsafe(no_mangle)]
pub extern "C" fn omp_in_final() -> i32 {
    in_final() as i32
}

#[allow(missing_docs)]
#[unsafe(no_mangle)]
pub extern "C" fn omp_in_explicit_task() -> i32 {
    in_task(mark::RUNS) as i32
}

/// max-task-priority-var is 0: the order of tasks does not depend on priorities (OpenMP 5.2, 12.4).
#[unsafe(no_mangle)]
pub extern "C" fn omp_get_max_task_priority() -> i32 {
    0
}
