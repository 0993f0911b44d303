//! What a program asks about its tasks.

use super::{blocks, level, task::mark};

/// Whether the current task is final or descends from a final one.
pub(super) fn in_final() -> bool {
    blocks::marked(mark::RUNS | mark::FINAL, level())
}

#[allow(missing_docs)]
#[unsafe(no_mangle)]
pub extern "C" fn omp_in_final() -> i32 {
    in_final() as i32
}

#[allow(missing_docs)]
#[unsafe(no_mangle)]
pub extern "C" fn omp_in_explicit_task() -> i32 {
    blocks::marked(mark::RUNS, level()) as i32
}

/// max-task-priority-var is 0: the order of tasks does not depend on priorities (OpenMP 5.2, 12.4).
#[unsafe(no_mangle)]
pub extern "C" fn omp_get_max_task_priority() -> i32 {
    0
}
