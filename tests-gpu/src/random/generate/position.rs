//! Where a statement stands, and what it may do there with which variable.

use super::super::program::{Guard, Op, Var};

/// What may be done with a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// Read and written.
    Own,
    /// Read by all.
    Read,
    /// Changed by all with one operator.
    Update(Op, Guard),
    /// Free for one construct of this phase.
    Free,
    /// Not to be touched before the next barrier.
    Busy,
}

/// A variable in sight.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    pub(super) var: Var,
    pub(super) access: Access,
    /// It has the same value in all threads of the region.
    pub(super) uniform: bool,
    /// Shared by the region's threads and the encountering thread's own: barriers change its use. The operator, if
    /// nothing but this may be done to it.
    pub(super) managed: Option<Option<Op>>,
}

/// Who runs a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Who {
    /// The initial thread of a target region or team, or one iteration of `distribute`.
    Initial,
    /// All threads of a region, which may meet constructs here.
    Region,
    /// One thread.
    Thread,
    /// One lane of a `simd` loop.
    Lane,
}

/// Where a statement stands.
#[derive(Clone, Debug)]
pub(super) struct Position {
    pub(super) who: Who,
    pub(super) seen: Vec<Seen>,
    /// Strictly within `teams`: few constructs are allowed.
    pub(super) teams: bool,
    /// In `teams`, the variables of all teams. `omp_get_team_num` goes into them only: what is a team's own has the same value in
    /// each, so all come to the same `distribute`.
    pub(super) league: Vec<Var>,
    /// Each thread of a team of known size runs this, and `omp_get_thread_num` is known.
    pub(super) each_thread: bool,
    /// Parallel regions around.
    pub(super) regions: u32,
    /// In an explicit task.
    pub(super) task: bool,
    /// In an untied one: clang 22 writes wrong code for `taskgroup` there, and for `taskwait` in a loop (docs/upstream.md).
    pub(super) untied: bool,
    /// Statements around.
    pub(super) depth: u32,
    /// How often this is run.
    pub(super) times: u64,
    /// The most threads of a parallel region.
    pub(super) most_threads: u32,
    /// In a loop of the same thread, which `break` and `continue` may leave.
    pub(super) in_loop: bool,
    /// In a function of the program, which `return` may leave.
    pub(super) in_function: bool,
}

impl Position {
    /// This place for a region that starts here. If each thread of a region starts one, a variable that differs from thread
    /// to thread would in it make others differ, too.
    pub(super) fn alike(&self) -> Self {
        let mut place = self.clone();
        if self.who == Who::Region {
            place.seen.retain(|seen| seen.uniform);
        }
        place
    }
}
