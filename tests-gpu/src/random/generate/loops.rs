//! Loops with directives.

use super::super::program::{Directive, Guard, Head, Language, Loop, Place, Slope, Stmt, Type, Var};
use super::constructs::Entered;
use super::{Access, Generator, MOST_TIMES, Position, Seen, Who};

impl Generator {
    /// The heads of a loop nest, a rectangular one if it must be.
    fn heads(&mut self, place: &Position, directive: Directive, rectangular: bool) -> Vec<Head> {
        let most = (MOST_TIMES / place.times).clamp(1, 60);
        if directive == Directive::Taskloop && self.language == Language::Fortran {
            return vec![self.head(most)]; // `collapse` is "not yet implemented" there
        }
        let mut heads = match self.rng.u32(0..5) {
            0 => vec![self.head(most.isqrt()), self.head(most.isqrt())],
            1 => vec![self.head(4.min(most)), self.head(3.min(most)), self.head(3.min(most))],
            _ => return vec![self.head(most)],
        };
        if self.language == Language::C && !rectangular && self.rng.bool() {
            self.slope(&mut heads, most);
        }
        heads
    }

    /// Makes a loop nest one that is not rectangular, if it stays small.
    fn slope(&mut self, heads: &mut [Head], most: u64) {
        let inner = self.rng.usize(1..heads.len());
        let outer = heads[self.rng.usize(0..inner)].counter;
        let [from, to] = [(); 2].map(|()| self.rng.i64(-2..3));
        heads[inner].slope = Some(Slope { outer, from, to });
        if (from, to) != (0, 0) && (1..=most).contains(&Head::iterations(heads)) {
            // Values may be less than 0.
            let ty = if self.rng.bool() { Type::I32 } else { Type::I64 };
            for counter in [outer, heads[inner].counter] {
                self.variables[counter].ty = ty;
            }
        } else {
            heads[inner].slope = None;
        }
    }

    /// The loop itself; `outer`: what the loop is in, for variables that it makes private.
    fn finish(
        &mut self,
        outer: &Position,
        directive: Directive,
        entered: Entered,
        who: Who,
    ) -> (Loop, Position) {
        // clang 22 loses what `lastprivate` gives from others (docs/upstream.md).
        let heads = self.heads(outer, directive, !entered.lastprivate.is_empty());
        if self.language == Language::Fortran && directive.is_simd() {
            // flang 22 refuses others in procedures (docs/upstream.md).
            heads.iter().for_each(|head| self.variables[head.counter].ty = Type::I32);
        }
        let mut inner = Position { who, seen: entered.seen, each_thread: false, ..outer.clone() };
        inner.times *= Head::iterations(&heads);
        for head in &heads {
            inner.seen.push(Seen { var: head.counter, access: Access::Read, uniform: true, managed: None });
        }
        let of = Loop {
            directive,
            heads,
            reductions: entered.reductions,
            private: Vec::new(),
            firstprivate: entered.firstprivate,
            lastprivate: entered.lastprivate,
            shared: entered.shared,
            clauses: String::new(),
            nowait: false,
            ordered: false,
            body: Vec::new(),
        };
        (of, inner)
    }

    /// The body: private variables get their value first, those of `lastprivate` in the end of each iteration.
    fn body(&mut self, of: &mut Loop, inner: &mut Position) {
        let give = |this: &mut Self, inner: &Position, vars: &[Var]| {
            let value = |var: &Var| Stmt::Assign(Place::Scalar(*var), this.expr(inner, true, 2));
            vars.iter().map(value).collect::<Vec<_>>()
        };
        let own = |var: &Var| Seen { var: *var, access: Access::Own, uniform: true, managed: None };
        let mut body = give(self, inner, &of.private);
        inner.seen.extend(of.private.iter().map(own));
        body.extend(self.block(inner));
        body.extend(give(self, inner, &of.lastprivate));
        of.body = body;
    }

    /// Some variables that the loop reads become private, or firstprivate where the threads around it share them.
    fn privatise(&mut self, of: &mut Loop, inner: &mut Position, shared: impl Fn(Var) -> bool) {
        let mut k = 0;
        while k < inner.seen.len() {
            let Seen { var, access, .. } = inner.seen[k];
            let taken = of.shared.contains(&var) || of.heads.iter().any(|head| head.counter == var);
            if access == Access::Read && !taken && !self.is_array(var) {
                if shared(var) && self.one_in(6) {
                    of.firstprivate.push(var);
                } else if self.one_in(10) && !self.is_signed_counter(var) {
                    of.private.push(inner.seen.remove(k).var);
                    continue;
                }
            }
            k += 1;
        }
    }

    fn schedule(&mut self) -> String {
        let chunk = self.rng.u32(1..9);
        let kinds = ["static", "dynamic", "guided", "monotonic: dynamic", "nonmonotonic: guided"];
        let kind = kinds[self.rng.usize(0..kinds.len())];
        match self.rng.u32(0..6) {
            0 | 1 => String::new(),
            2 => format!(" schedule({kind})"),
            3 => [" schedule(auto)", " schedule(runtime)"][self.rng.usize(0..2)].into(),
            _ => format!(" schedule({kind}, {chunk})"),
        }
    }

    /// `for` in a parallel region; whether a barrier ends it.
    pub(super) fn shared_loop(&mut self, place: &mut Position) -> (Stmt, bool) {
        let ordered = self.one_in(5);
        let mut in_order = Vec::new();
        let simd = !ordered && self.one_in(6);
        let entered = self.enter_shared(place, |this, entered, var, only| match this.rng.u32(0..4) {
            0 if ordered && only.is_none() => {
                in_order.push(var);
                Some(Access::Busy)
            }
            0 | 1 if this.may_reduce(var) => {
                let op = only.unwrap_or_else(|| this.operator_on(var));
                entered.reductions.push((op, var));
                Some(Access::Update(op, Guard::Own))
            }
            2 if only.is_none() && !this.is_array(var) => {
                entered.lastprivate.push(var);
                None
            }
            _ => None,
        });
        for seen in &mut place.seen {
            if entered.lastprivate.contains(&seen.var) {
                seen.access = Access::Busy;
            }
        }
        let directive = if simd { Directive::ForSimd } else { Directive::For };
        let times = place.times;
        let outer =
            Position { times: if place.each_thread { times.div_ceil(32) } else { times }, ..place.clone() };
        let (mut of, mut inner) =
            self.finish(&outer, directive, entered, if simd { Who::Lane } else { Who::Thread });
        let managed = |var| place.seen.iter().any(|seen| seen.var == var && seen.managed.is_some());
        self.privatise(&mut of, &mut inner, managed);
        of.clauses = self.schedule();
        of.nowait = self.rng.bool();
        self.body(&mut of, &mut inner);
        if ordered && !of.clauses.contains("nonmonotonic") {
            of.ordered = true;
            for seen in &mut inner.seen {
                if in_order.contains(&seen.var) {
                    seen.access = Access::Own;
                }
            }
            inner.who = Who::Lane; // no regions, no locks in it
            of.body.push(Stmt::Ordered(self.block(&inner)));
        }
        let barrier = !of.nowait;
        (Stmt::Loop(Box::new(of)), barrier)
    }

    /// How a loop that starts its own threads or lanes uses what the encountering thread owns.
    fn enter_loop(&mut self, place: &Position, lane: bool, target: bool) -> Entered {
        let mut entered = Entered::default();
        for seen in &place.seen {
            let var = seen.var;
            let scalar = !self.is_array(var);
            let access = match seen.access {
                Access::Own => match self.rng.u32(0..6) {
                    0 | 1 => Access::Read,
                    2 if scalar => {
                        entered.lastprivate.push(var);
                        continue;
                    }
                    3 if self.may_reduce(var) => {
                        let op = self.operator_on(var);
                        entered.reductions.push((op, var));
                        Access::Update(op, Guard::Own)
                    }
                    _ if lane => continue,
                    _ => {
                        let op = self.operator_on(var);
                        Access::Update(op, if target { Guard::Atomic } else { self.guard() })
                    }
                },
                Access::Update(op, Guard::Own) if self.may_reduce(var) => {
                    entered.reductions.push((op, var));
                    Access::Update(op, Guard::Own)
                }
                Access::Update(op, Guard::Own) if !lane && self.avoid.own_atomics => {
                    Access::Update(op, Guard::Critical(0))
                }
                Access::Update(op, Guard::Own) if !lane => Access::Update(op, Guard::Atomic),
                Access::Read | Access::Update(_, Guard::Atomic) => seen.access,
                Access::Update(_, Guard::Critical(_) | Guard::Lock(_)) if !lane => seen.access,
                _ => continue,
            };
            entered.seen.push(Seen { var, access, uniform: true, managed: None });
        }
        entered
    }

    pub(super) fn parallel_for(&mut self, place: &mut Position) -> Option<Stmt> {
        let root = place.depth == 0;
        if !self.may_fork(place) {
            return None;
        }
        self.regions -= 1;
        let simd = self.one_in(5);
        let place = &place.alike();
        let entered = self.enter_loop(place, simd, false);
        let directive = if simd { Directive::ParallelForSimd } else { Directive::ParallelFor };
        let who = if simd { Who::Lane } else { Who::Thread };
        let (mut of, mut inner) = self.finish(place, directive, entered, who);
        inner.regions += 1;
        self.deepest = self.deepest.max(inner.regions);
        inner.teams = false;
        if !root {
            self.privatise(&mut of, &mut inner, |_| true);
        }
        of.clauses = self.schedule();
        if self.one_in(3) {
            of.clauses += &format!(" num_threads({})", self.rng.u32(1..80));
        }
        self.body(&mut of, &mut inner);
        Some(Stmt::Loop(Box::new(of)))
    }

    pub(super) fn simd(&mut self, place: &mut Position) -> Option<Stmt> {
        let each = place.who != Who::Region || place.each_thread;
        // A simd loop writes back what it reduces, for which serial code may have no place.
        if !each
            || self.is_in_flang_task(place)
            || self.only_declares(place)
            || place.teams
            || place.who == Who::Lane
        {
            return None;
        }
        let mut from = self.own_way(place);
        if place.who == Who::Initial {
            // clang 22 takes a variable of serial code that a region shares for its own private copy (docs/upstream.md).
            for seen in &mut from.seen {
                if seen.access == Access::Own && !self.mapped.contains(&seen.var) {
                    seen.access = Access::Read;
                }
            }
        }
        let entered = self.enter_loop(&from, true, false);
        let (mut of, mut inner) = self.finish(&from, Directive::Simd, entered, Who::Lane);
        inner.each_thread = place.each_thread;
        // flang 22 refuses them with some counters of 64 bits.
        if self.one_in(3) && self.language == Language::C {
            of.clauses = [" simdlen(8)", " safelen(4)"][self.rng.usize(0..2)].into();
        }
        self.body(&mut of, &mut inner);
        Some(Stmt::Loop(Box::new(of)))
    }

    pub(super) fn taskloop(&mut self, place: &mut Position) -> Option<Stmt> {
        // flang 22 destroys its own memory over one in a task, and crashes now and then.
        if !self.may_task(place) || self.is_in_flang_task(place) {
            return None;
        }
        let from = self.own_way(place);
        let not_implemented = self.language == Language::Fortran;
        let kept = if not_implemented { std::mem::take(&mut self.reductions) } else { 0 };
        let mut entered = self.enter_loop(&from, false, false);
        self.reductions += kept;
        entered.shared =
            entered.seen.iter().filter(|seen| seen.access != Access::Read).map(|seen| seen.var).collect();
        entered.shared.retain(|var| !entered.reductions.iter().any(|(_, other)| other == var));
        let (mut of, mut inner) = self.finish(&from, Directive::Taskloop, entered, Who::Thread);
        inner.task = true;
        of.clauses = match self.rng.u32(0..4) {
            0 => format!(" grainsize({})", self.rng.u32(1..9)),
            1 => format!(" num_tasks({})", self.rng.u32(1..9)),
            _ => String::new(),
        };
        self.body(&mut of, &mut inner);
        Some(Stmt::Loop(Box::new(of)))
    }

    fn dist_schedule(&mut self) -> String {
        if self.one_in(3) { format!(" dist_schedule(static, {})", self.rng.u32(1..9)) } else { String::new() }
    }

    /// `distribute` or `distribute parallel for` in teams.
    pub(super) fn distribute(&mut self, place: &mut Position) -> Option<Stmt> {
        // flang 22 crashes on some `distribute parallel do`.
        let parallel = self.rng.bool() && self.language == Language::C;
        let mut entered = Entered::default();
        for seen in &place.seen {
            let access = match seen.access {
                Access::Own => Access::Read,
                Access::Update(op, Guard::Own) if parallel && self.may_reduce(seen.var) => {
                    entered.reductions.push((op, seen.var));
                    seen.access
                }
                Access::Update(_, Guard::Own) if parallel => continue,
                access => access,
            };
            entered.seen.push(Seen { access, ..seen.clone() });
        }
        let directive = if parallel { Directive::DistributeParallelFor } else { Directive::Distribute };
        self.distributed(place, directive, entered, String::new())
    }

    /// A loop combined with `teams`.
    pub(super) fn teams_loop(&mut self, place: &Position, directive: Directive) -> Option<Stmt> {
        let entered = self.enter_teams(place);
        let clauses = format!(" num_teams({})", self.rng.u32(1..6));
        self.distributed(place, directive, entered, clauses)
    }

    fn distributed(
        &mut self,
        place: &Position,
        directive: Directive,
        entered: Entered,
        clauses: String,
    ) -> Option<Stmt> {
        let who = match directive {
            Directive::Distribute | Directive::TeamsDistribute => Who::Initial,
            Directive::TeamsDistributeParallelForSimd => Who::Lane,
            _ => Who::Thread,
        };
        let (mut of, mut inner) = self.finish(place, directive, entered, who);
        inner.league.clear();
        inner.teams = who == Who::Initial;
        (inner.in_loop, inner.in_function) = (false, false);
        of.clauses = clauses;
        // OpenMP 5.0, 2.9.4.1: only for rectangular loop nests.
        if of.heads.iter().all(|head| head.slope.is_none()) {
            of.clauses += &self.dist_schedule();
        }
        if who == Who::Initial {
            self.body(&mut of, &mut inner);
            if self.only_declares(&inner) {
                inner.depth += 1;
                of.body.push(self.parallel_for(&mut inner)?);
            }
        } else {
            inner.regions += 1;
            of.clauses += &self.schedule();
            self.body(&mut of, &mut inner);
        }
        Some(Stmt::Loop(Box::new(of)))
    }
}
