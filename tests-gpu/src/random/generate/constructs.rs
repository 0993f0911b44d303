//! Regions and what threads of a team share out: parallel, teams, sections, single, masked, tasks.

use super::super::program::{Directive, Guard, Language, Op, Parallel, Stmt, Task, Var};
use super::{Access, Generator, MOST_REGIONS, MOST_TIMES, Position, Seen, Who};

/// Sizes of teams: below, at and above a warp.
const SIZES: [u32; 12] = [1, 2, 3, 5, 8, 16, 31, 32, 33, 64, 65, 96];

/// How variables enter a construct.
#[derive(Default)]
pub(super) struct Entered {
    pub(super) seen: Vec<Seen>,
    pub(super) reductions: Vec<(Op, Var)>,
    pub(super) firstprivate: Vec<Var>,
    pub(super) lastprivate: Vec<Var>,
    /// Variables of the encountering thread that the construct shares.
    pub(super) shared: Vec<Var>,
}

/// The statements of a body that clang sees when it asks whether there is only one.
fn statements(body: &[Stmt]) -> Vec<&Stmt> {
    body.iter().filter(|stmt| !matches!(stmt, Stmt::Declare(..) | Stmt::Barrier)).collect()
}

/// Whether teams with one construct in them reduce: clang makes an SPMD kernel of them, where each thread gets a copy of
/// what the team reduces (docs/upstream.md).
fn loses_reductions(reductions: &[(Op, Var)], body: &[Stmt]) -> bool {
    !reductions.is_empty() && statements(body).len() <= 1
}

/// Whether teams have one construct in them: if that is a `distribute` loop in a `block` construct, flang 22, which counts its iterations
/// on the host, crashes (docs/upstream.md).
fn has_one_construct(body: &[Stmt]) -> bool {
    fn constructs(body: &[Stmt]) -> usize {
        let of = |stmt: &Stmt| match stmt {
            Stmt::Block(body) | Stmt::Outlined(body) | Stmt::Repeat { body, .. } => constructs(body),
            Stmt::If { yes, no, .. } => constructs(yes).max(constructs(no)).min(1),
            Stmt::Loop(_) | Stmt::Parallel(_) => 1,
            _ => 0,
        };
        body.iter().map(of).sum()
    }
    constructs(body) == 1
}

/// How often teams meet a `distribute` loop, as far as it matters whether that is more than once: flang 22 reduces over teams behind each
/// (docs/upstream.md).
fn distribute_loops(body: &[Stmt]) -> usize {
    let of = |stmt: &Stmt| match stmt {
        Stmt::Block(body) | Stmt::Outlined(body) => distribute_loops(body),
        Stmt::Repeat { body, .. } => 2 * distribute_loops(body),
        Stmt::If { yes, no, .. } => distribute_loops(yes) + distribute_loops(no),
        Stmt::Loop(of) => of.directive.distributes().into(),
        _ => 0,
    };
    body.iter().map(of).sum()
}

/// Whether clang gives a kernel fewer threads than its region asks for if this is alone in the region
/// (docs/upstream.md).
fn limits_threads(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Parallel(_) => true,
        Stmt::Loop(of) => matches!(
            of.directive,
            Directive::Simd | Directive::ForSimd | Directive::ParallelFor | Directive::ParallelForSimd
        ),
        _ => false,
    }
}

impl Generator {
    /// The target region.
    pub(super) fn root(&mut self, place: &Position) -> Stmt {
        let stmt = match self.rng.u32(0..10) {
            0 | 1 => self.parallel(&mut place.clone()),
            2 => self.parallel_for(&mut place.clone()),
            3..6 => self.teams(place),
            6 => self.teams_loop(place, Directive::TeamsDistribute),
            7 => {
                let directives =
                    [Directive::TeamsDistributeParallelFor, Directive::TeamsDistributeParallelForSimd];
                let directive = directives[self.rng.usize(0..2)];
                self.teams_loop(place, directive)
            }
            _ => None,
        };
        stmt.unwrap_or_else(|| Stmt::Block(self.block(place)))
    }

    /// A target region with serial code.
    pub(super) fn serial_root(&mut self, place: &Position) -> Stmt {
        let stmt = match self.rng.u32(0..6) {
            0 | 1 => self.teams(place),
            2 => self.teams_loop(place, Directive::TeamsDistribute),
            _ => None,
        };
        stmt.unwrap_or_else(|| Stmt::Block(self.block(place)))
    }

    /// How updates of a variable that may be a thread's own are kept apart.
    pub(super) fn guard(&mut self) -> Guard {
        match self.rng.u32(0..4) {
            0 | 1 if !self.avoid.own_atomics => Guard::Atomic,
            0..=2 => Guard::Critical(self.rng.u8(0..3)),
            _ => Guard::Lock(self.rng.u8(0..4)),
        }
    }

    /// A use for a variable that threads share until the next barrier.
    pub(super) fn draw(&mut self, var: Var, only: Option<Op>) -> Access {
        match (self.rng.u32(0..6), only) {
            (0 | 1, None) => Access::Read,
            (0..4, _) => {
                let op = only.unwrap_or_else(|| self.operator_on(var));
                Access::Update(op, self.guard())
            }
            _ => Access::Free,
        }
    }

    /// Gives every shared variable of the region a new use: a barrier has just been passed.
    pub(super) fn new_phase(&mut self, place: &mut Position) {
        for k in 0..place.seen.len() {
            let Seen { var, managed, .. } = place.seen[k];
            if let Some(only) = managed {
                place.seen[k].access = self.draw(var, only);
            }
        }
    }

    /// What is in sight in a parallel region that is met at `place`.
    fn enter_region(&mut self, place: &Position) -> Entered {
        let mut entered = Entered::default();
        for seen in &place.seen {
            let var = seen.var;
            let (access, managed) = match seen.access {
                Access::Own if self.one_in(6) && self.may_reduce(var) => {
                    let op = self.operator_on(var);
                    entered.reductions.push((op, var));
                    (Access::Update(op, Guard::Own), None)
                }
                Access::Update(op, Guard::Own) if self.one_in(3) && self.may_reduce(var) => {
                    entered.reductions.push((op, var));
                    (Access::Update(op, Guard::Own), None)
                }
                Access::Own if self.one_in(6) && place.depth > 0 => {
                    entered.firstprivate.push(var);
                    (Access::Own, None)
                }
                Access::Own => (self.draw(var, None), Some(None)),
                Access::Update(op, Guard::Own) => (self.draw(var, Some(op)), Some(Some(op))),
                Access::Read | Access::Update(..) => (seen.access, None),
                Access::Free | Access::Busy => continue,
            };
            entered.seen.push(Seen { var, access, uniform: true, managed });
        }
        entered
    }

    /// Whether a parallel region may stand here.
    pub(super) fn may_fork(&self, place: &Position) -> bool {
        place.who != Who::Lane
            && place.regions < MOST_REGIONS
            && (place.who != Who::Region || place.each_thread)
            && place.times <= 300
            && self.regions > 0
            && !self.is_in_flang_task(place)
    }

    /// Whether this is a task in Fortran: flang 22 crashes where a construct in it uses what a `block` in the task declares.
    pub(super) fn is_in_flang_task(&self, place: &Position) -> bool {
        place.task && self.language == Language::Fortran
    }

    pub(super) fn parallel(&mut self, place: &mut Position) -> Option<Stmt> {
        if !self.may_fork(place) {
            return None;
        }
        self.regions -= 1;
        let most = place.most_threads.min((MOST_TIMES / place.times) as u32);
        let sizes: Vec<u32> = SIZES.into_iter().filter(|size| *size <= most).collect();
        let sized = place.regions == 0 && !place.task;
        let threads = if sized && !self.one_in(3) { self.pick(&sizes) } else { None };
        let condition = if self.one_in(6) { Some(self.expr(place, false, 2)) } else { None };
        self.deepest = self.deepest.max(place.regions + 1);
        let Entered { seen, reductions, firstprivate, .. } = self.enter_region(&place.alike());
        let inner = Position {
            who: Who::Region,
            seen,
            teams: false,
            each_thread: threads.is_some(),
            regions: place.regions + 1,
            times: place.times * u64::from(threads.unwrap_or(1)),
            ..place.clone()
        };
        let clauses = match threads {
            None if self.one_in(3) => format!(" num_threads({})", self.rng.u32(1..80)),
            _ => String::new(),
        };
        let mut body = self.block(&inner);
        if threads.is_some() && matches!(statements(&body)[..], [only] if limits_threads(only)) {
            body.push(Stmt::Masked(Vec::new()));
        }
        Some(Stmt::Parallel(Box::new(Parallel {
            threads,
            condition,
            reductions,
            firstprivate,
            clauses,
            body,
        })))
    }

    /// What teams or their loops see of the target region's variables.
    pub(super) fn enter_teams(&mut self, place: &Position) -> Entered {
        let mut entered = Entered::default();
        for seen in &place.seen {
            let access = match self.rng.u32(0..4) {
                0 => Access::Read,
                1 if self.may_reduce(seen.var) => {
                    let op = self.operator_on(seen.var);
                    entered.reductions.push((op, seen.var));
                    Access::Update(op, Guard::Own)
                }
                _ => Access::Update(self.operator_on(seen.var), Guard::Atomic),
            };
            entered.seen.push(Seen { access, ..seen.clone() });
        }
        entered
    }

    fn teams(&mut self, place: &Position) -> Option<Stmt> {
        let count = self.rng.u32(1..6);
        let Entered { seen, reductions, .. } = self.enter_teams(place);
        let league = seen.iter().map(|seen| seen.var).collect();
        let mut inner = Position { seen, teams: true, league, ..place.clone() };
        inner.times *= u64::from(count);
        let clauses = match self.rng.u32(0..3) {
            0 => {
                inner.most_threads = 64;
                // A generic kernel gives one warp of the limit to the main thread.
                " thread_limit(96)".into()
            }
            _ => String::new(),
        };
        let body = self.block(&inner);
        let avoided = match self.language {
            Language::C => self.avoid.lone_regions && loses_reductions(&reductions, &body),
            Language::Fortran => {
                has_one_construct(&body) || !reductions.is_empty() && distribute_loops(&body) > 1
            }
        };
        (!avoided).then_some(Stmt::Teams { count, reductions, clauses, body })
    }

    /// What any one thread of the region sees, in loops, sections and the like. `Free` variables become what `claim`
    /// says, once for all statements of the construct, and busy for everybody else.
    pub(super) fn enter_shared(
        &mut self,
        place: &mut Position,
        mut claim: impl FnMut(&mut Self, &mut Entered, Var, Option<Op>) -> Option<Access>,
    ) -> Entered {
        let mut entered = Entered::default();
        for k in 0..place.seen.len() {
            let Seen { var, access, uniform, managed } = place.seen[k].clone();
            let access = match access {
                Access::Own if uniform => Access::Read,
                Access::Read | Access::Update(..) => access,
                Access::Free => {
                    let Some(access) = claim(self, &mut entered, var, managed.flatten()) else { continue };
                    place.seen[k].access = Access::Busy;
                    access
                }
                Access::Own | Access::Busy => continue,
            };
            entered.seen.push(Seen { var, access, uniform: true, managed: None });
        }
        entered
    }

    fn one_thread(&self, place: &Position, seen: Vec<Seen>) -> Position {
        let times = if place.each_thread { place.times.div_ceil(32) } else { place.times };
        Position { who: Who::Thread, seen, each_thread: false, times, ..place.clone() }
    }

    /// A construct that all threads of the region meet.
    pub(super) fn worksharing(&mut self, place: &mut Position) -> Option<Stmt> {
        let alone = |this: &mut Self, _: &mut Entered, _, only: Option<Op>| {
            let access = only.map_or(Access::Own, |op| Access::Update(op, Guard::Own));
            this.one_in(2).then_some(access)
        };
        let kind = self.rng.u32(0..12);
        let (stmt, barrier) = match kind {
            0 | 1 => (Stmt::Barrier, true),
            2 => {
                let entered = self.enter_shared(place, alone);
                let inner = self.one_thread(place, entered.seen);
                (Stmt::Masked(self.block(&inner)), false)
            }
            3..5 => {
                let entered = self.enter_shared(place, alone);
                let inner = self.one_thread(place, entered.seen);
                let nowait = self.rng.bool();
                (Stmt::Single { copyprivate: None, nowait, body: self.block(&inner) }, !nowait)
            }
            5..7 => {
                let entered = self.enter_shared(place, |this, entered, var, only| {
                    let op = only.unwrap_or_else(|| this.operator_on(var));
                    (this.one_in(2) && this.may_reduce(var)).then(|| {
                        entered.reductions.push((op, var));
                        Access::Update(op, Guard::Own)
                    })
                });
                let inner = self.one_thread(place, entered.seen);
                let sections = (0..self.rng.u32(1..5)).map(|_| self.block(&inner)).collect();
                let nowait = self.rng.bool();
                (Stmt::Sections { reductions: entered.reductions, sections, nowait }, !nowait)
            }
            _ => self.shared_loop(place),
        };
        if barrier {
            self.new_phase(place);
        }
        Some(stmt)
    }

    /// What tasks see of the thread that makes them.
    pub(super) fn enter_tasks(&mut self, place: &Position) -> Entered {
        let mut entered = Entered::default();
        for seen in &place.seen {
            let var = seen.var;
            let access = match seen.access {
                Access::Read => Access::Read,
                Access::Update(_, Guard::Own) => continue,
                Access::Update(..) => {
                    entered.shared.push(var);
                    seen.access
                }
                Access::Own => match self.draw(var, None) {
                    // flang 22 crashes over arrays.
                    Access::Free if self.language == Language::C || !self.is_array(var) => {
                        entered.firstprivate.push(var);
                        Access::Own
                    }
                    access => {
                        entered.shared.push(var);
                        access
                    }
                },
                Access::Free | Access::Busy => continue,
            };
            entered.seen.push(Seen { var, access, uniform: true, managed: None });
        }
        entered
    }

    /// Whether tasks may be made here.
    pub(super) fn may_task(&self, place: &Position) -> bool {
        let each = place.who != Who::Region || place.each_thread;
        each && place.who != Who::Lane && !place.teams && place.times <= 300
    }

    pub(super) fn tasks(&mut self, place: &mut Position) -> Option<Stmt> {
        if !self.may_task(place) || (place.untied && place.in_loop) {
            return None;
        }
        let entered = self.enter_tasks(place);
        // A variable that the tasks hand on in the order of their dependences; flang 22 compiles few (docs/upstream.md).
        let order = if self.rng.bool() && self.language == Language::C {
            let own =
                entered.firstprivate.iter().copied().filter(|var| !self.is_array(*var)).collect::<Vec<_>>();
            self.pick(&own)
        } else {
            None
        };
        let mut tasks = Vec::new();
        for _ in 0..self.rng.u32(1..6) {
            let mut inner = Position {
                who: Who::Thread,
                seen: entered.seen.clone(),
                each_thread: false,
                task: true,
                ..place.clone()
            };
            let mut task = Task {
                firstprivate: entered.firstprivate.clone(),
                shared: entered.shared.clone(),
                depend: None,
                clauses: String::new(),
                body: Vec::new(),
            };
            if let Some(var) = order {
                task.firstprivate.retain(|v| *v != var);
                let (kind, access) = match self.rng.u32(0..4) {
                    0 => ("in", Access::Read),
                    1 => ("inout", Access::Own),
                    2 => ("out", Access::Own),
                    _ => ("", Access::Busy),
                };
                let seen =
                    inner.seen.iter_mut().find(|seen| seen.var == var).expect("it was taken from there");
                seen.access = access;
                if !kind.is_empty() {
                    task.depend = Some((kind, var));
                    task.shared.push(var);
                }
            }
            task.clauses = self.task_clauses(place);
            inner.untied |= task.clauses.contains("untied");
            task.body = self.block(&inner);
            tasks.push(task);
        }
        Some(Stmt::Tasks { tasks, group: !place.untied && self.rng.bool() })
    }

    fn task_clauses(&mut self, place: &Position) -> String {
        let mut text = String::new();
        for clause in [" untied", " priority(3)", " final(1)", " if(0)", " if(v0 == 0)"] {
            if self.one_in(8) && !(clause.starts_with(" if") && (text.contains(" if") || place.depth > 4)) {
                text += clause;
            }
        }
        text
    }
}
