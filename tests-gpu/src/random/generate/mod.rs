//! Makes programs whose result is the same for every schedule.
//!
//! Between two barriers each variable that threads share has one use: all may read it, or all may update it with one
//! operator and one way of exclusion, or one construct owns it (`single`, a reduction, `lastprivate`, `ordered`). Which
//! use, is drawn anew behind each barrier. What a thread declares is its own, and shared in turn by the regions and tasks
//! that it starts. Where any thread may run a statement (loops, sections, tasks), nothing is read that differs from thread
//! to thread; where the size of a team is not ours to say, nothing is done once per thread.

mod constructs;
mod loops;
mod position;
mod serial;

use super::evaluate::evaluate;
use super::program::{
    Expr, Function, Guard, Head, Language, Move, Op, Place, Program, Stmt, Target, Type, Var, Variable,
};
use fastrand::Rng;
use position::{Access, Position, Seen, Who};
use serial::Signature;
use std::collections::{BTreeMap, BTreeSet};

/// What programs must avoid, by the way in which they are compiled. Details are in docs/upstream.md.
#[derive(Clone, Copy, Debug, Default)]
pub struct Avoid {
    /// openmp-opt may let all threads run the serial code of a generic kernel: each then loads by itself what thread 0
    /// stores, so in serial code no variable may be read and later written.
    pub serial_changes: bool,
    /// openmp-opt's time grows faster than the square of the number of regions and reductions.
    pub many_regions: bool,
    /// GPUs have no atomic operations on the stack, so none may be on what may be a thread's own variable.
    pub own_atomics: bool,
    /// clang makes SPMD kernels of teams with one construct in them, where each thread gets a copy of what the team reduces.
    pub lone_regions: bool,
    /// Arrays of constants are read from the wrong memory.
    pub constant_arrays: bool,
}

/// What programs consist of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// All constructs in each other.
    Constructs,
    /// Serial code in which parallel regions stand: kernels that are generic before any pass.
    Serial,
}

/// The most parallel regions in each other.
const MOST_REGIONS: u32 = 3;

/// More runs of one statement than this are not asked for.
const MOST_TIMES: u64 = 1500;

/// The program `number` of `seed`.
pub fn program(
    language: Language,
    seed: u64,
    number: u64,
    profile: Profile,
    avoid: Avoid,
) -> (Program, Vec<Vec<u64>>) {
    let start = super::program::mix(seed, number.wrapping_add(1));
    let mut generator = Generator {
        rng: Rng::with_seed(start),
        variables: Vec::new(),
        counters: BTreeSet::new(),
        pointers: BTreeMap::new(),
        mapped: Vec::new(),
        language,
        profile,
        avoid,
        statements: 0,
        regions: 0,
        reductions: 0,
        functions: Vec::new(),
        deepest: 0,
    };
    loop {
        let program = generator.program(number);
        if let Ok(values) = evaluate(&program) {
            return (program, values);
        }
    }
}

struct Generator {
    rng: Rng,
    variables: Vec<Variable>,
    /// The counters of loops.
    counters: BTreeSet<Var>,
    /// The array of each pointer.
    pointers: BTreeMap<Var, Var>,
    /// The variables that target regions map.
    mapped: Vec<Var>,
    language: Language,
    profile: Profile,
    avoid: Avoid,
    /// Statements that may still be made.
    statements: u32,
    /// Parallel regions that may still be made.
    regions: u32,
    /// Reductions that may still be made.
    reductions: u32,
    /// The functions of the program.
    functions: Vec<Signature>,
    /// The most parallel regions in each other in the function that is being made.
    deepest: u32,
}

impl Generator {
    fn program(&mut self, number: u64) -> Program {
        self.variables = vec![Variable { ty: Type::U32, length: 0 }];
        self.counters.clear();
        self.pointers.clear();
        self.mapped.clear();
        let (statements, regions, reductions) = if self.avoid.many_regions { (14, 3, 3) } else { (25, 5, 9) };
        let functions = self.functions();
        self.statements = self.rng.u32(5..statements);
        self.regions = self.rng.u32(1..regions);
        self.reductions = self.rng.u32(0..reductions);
        let mut mapped = Vec::new();
        for _ in 0..self.rng.u32(2..6) {
            let longest = if self.profile == Profile::Serial { 4 } else { 6 };
            let length = if self.one_in(4) { 1 << self.rng.u32(2..longest) } else { 0 };
            let var = self.variable(length);
            self.mapped.push(var);
            mapped.push((var, self.small_or_not()));
        }
        let seen = |var| Seen { var, access: Access::Own, uniform: true, managed: None };
        let place = Position {
            who: Who::Initial,
            seen: mapped.iter().map(|(var, _)| seen(*var)).collect(),
            teams: false,
            league: Vec::new(),
            each_thread: false,
            regions: 0,
            task: false,
            untied: false,
            depth: 0,
            times: 1,
            most_threads: 96,
            in_loop: false,
            in_function: false,
        };
        let (statements, regions, reductions) = (self.statements, self.regions, self.reductions);
        let count = if self.profile == Profile::Serial { self.rng.u32(1..4) } else { 1 };
        let mut targets = Vec::new();
        for _ in 0..count {
            (self.statements, self.regions, self.reductions) = (statements, regions, reductions);
            let root =
                if self.profile == Profile::Serial { self.serial_root(&place) } else { self.root(&place) };
            targets.push(Target { root, combined: self.rng.bool() });
        }
        let language = self.language;
        Program { language, number, variables: self.variables.clone(), mapped, functions, targets }
    }

    /// The functions of the program.
    fn functions(&mut self) -> Vec<Function> {
        self.functions.clear();
        if self.profile == Profile::Constructs {
            return Vec::new();
        }
        self.reductions = 3;
        (0..self.rng.u32(0..4)).map(|_| self.function()).collect()
    }

    fn one_in(&mut self, n: u32) -> bool {
        self.rng.u32(0..n) == 0
    }

    fn pick<T: Clone>(&mut self, of: &[T]) -> Option<T> {
        self.rng.choice(of).cloned()
    }

    fn small_or_not(&mut self) -> u64 {
        if self.rng.bool() { self.rng.u64(0..100) } else { self.rng.u64(..) }
    }

    fn variable(&mut self, length: usize) -> Var {
        let ty = match self.rng.u32(0..12) {
            0..4 => Type::U32,
            4..7 => Type::U64,
            _ => [Type::U8, Type::U16, Type::I8, Type::I16, Type::F32, Type::F64][self.rng.usize(0..6)],
        };
        let ty = self.language.ty(ty);
        self.variables.push(Variable { ty, length });
        self.variables.len() - 1
    }

    fn operator(&mut self) -> Op {
        [Op::Add, Op::Add, Op::Mul, Op::Xor, Op::Or, Op::And, Op::Max, Op::Min][self.rng.usize(0..8)]
    }

    /// One for a variable.
    fn operator_on(&mut self, var: Var) -> Op {
        let ty = self.variables[var].ty;
        loop {
            let op = self.operator();
            if ty.has(op) {
                return op;
            }
        }
    }

    /// Whether `var` may be in one more reduction.
    fn may_reduce(&mut self, var: Var) -> bool {
        let array = self.is_array(var) && (self.language == Language::Fortran || self.one_in(2));
        let may = self.reductions > 0 && !array;
        self.reductions -= u32::from(may);
        may
    }

    /// Whether it is the counter of a loop with a sign: C's sums of it may not overflow; Fortran forbids to give it a value.
    fn is_signed_counter(&self, var: Var) -> bool {
        self.counters.contains(&var) && self.variables[var].ty.has_sign()
    }

    fn is_array(&self, var: Var) -> bool {
        self.variables[var].length > 0
    }

    /// An expression of what may be read at `place`; `uniform`: equal for all threads of the region.
    fn expr(&mut self, place: &Position, uniform: bool, depth: u32) -> Expr {
        if depth == 0 || self.one_in(3) {
            let readable: Vec<Var> = place
                .seen
                .iter()
                .filter(|seen| {
                    matches!(seen.access, Access::Own | Access::Read) && (seen.uniform || !uniform)
                })
                .map(|seen| seen.var)
                .collect();
            if place.each_thread && !uniform && self.one_in(4) {
                return Expr::Thread;
            }
            return match self.pick(&readable) {
                Some(var) if !self.one_in(4) => {
                    if self.is_array(var) {
                        Expr::Element(var, Box::new(self.index(place, uniform)))
                    } else {
                        Expr::Var(var)
                    }
                }
                _ => Expr::Const(self.small_or_not()),
            };
        }
        let mut below = || Box::new(self.expr(place, uniform, depth - 1));
        let (a, b) = (below(), below());
        match self.rng.u32(0..10) {
            0 => Expr::Shift(a, self.rng.u32(1..40)),
            1 | 2 => Expr::Mix(a, b),
            3 => {
                let c = self.expr(place, uniform, depth - 1);
                let d = self.expr(place, uniform, depth - 1);
                Expr::Select(Box::new([*a, *b, c, d]))
            }
            _ => Expr::Apply(self.operator(), a, b),
        }
    }

    /// The index of an element in an expression.
    fn index(&mut self, place: &Position, uniform: bool) -> Expr {
        match self.expr(place, uniform, 0) {
            // flang 22 reads elements that are the index of an element in time that doubles with each.
            Expr::Element(..) if self.language == Language::Fortran => Expr::Const(self.rng.u64(0..64)),
            index => index,
        }
    }

    /// A loop of at most `most` iterations, at least one, with its counter.
    fn head(&mut self, most: u64) -> Head {
        let ty = [Type::I32, Type::I64, Type::U32, Type::U64][self.rng.usize(0..4)];
        let ty = self.language.ty(ty);
        self.variables.push(Variable { ty, length: 0 });
        let counter = self.variables.len() - 1;
        self.counters.insert(counter);
        let trip = self.rng.u64(1..=most.clamp(1, 70)) as i64;
        let step = if self.one_in(3) { self.rng.i64(2..8) } else { 1 };
        let signed = ty.has_sign();
        let from = if self.one_in(3) { self.rng.i64(if signed { -40 } else { 0 }..50) } else { 0 };
        let short = self.rng.i64(0..step); // the last step may end beyond the bound
        let opaque = self.one_in(3);
        let up = Head { counter, from, to: from + trip * step - short, step, opaque, slope: None };
        if signed && self.one_in(4) { Head { to: from - trip * step + short, step: -step, ..up } } else { up }
    }

    /// The statements of a block.
    fn block(&mut self, place: &Position) -> Vec<Stmt> {
        let mut inner = Position { depth: place.depth + 1, ..place.clone() };
        let mut stmts = Vec::new();
        self.fill(&mut inner, &mut stmts);
        stmts
    }

    /// Adds some statements to a block.
    fn fill(&mut self, place: &mut Position, stmts: &mut Vec<Stmt>) {
        let wanted = stmts.len() + self.rng.usize(1..5);
        for _ in 0..20 {
            if stmts.len() >= wanted {
                break;
            }
            let Some(left) = self.statements.checked_sub(1) else { break };
            let made = self.statement(place);
            if made.is_some() {
                self.statements = left.min(self.statements);
            }
            stmts.extend(made);
        }
    }

    fn statement(&mut self, place: &mut Position) -> Option<Stmt> {
        if self.profile == Profile::Serial {
            return if place.who == Who::Initial { self.serial(place) } else { self.in_region(place) };
        }
        match self.rng.u32(0..24) {
            0..3 => self.declare(place),
            3 if self.rng.bool() => self.move_elements(place),
            3 => self.assign(place),
            4..8 => self.update(place),
            _ if place.depth > 4 => self.update(place),
            8 => self.choice(place),
            9 => self.repeat(place),
            10 if place.who != Who::Lane => Some(Stmt::Outlined(self.isolated(place))),
            10..12 => self.simd(place),
            12 => self.tasks(place),
            13 => self.taskloop(place),
            _ if place.who == Who::Region => self.worksharing(place),
            14..17 if !place.league.is_empty() && place.who == Who::Initial => self.distribute(place),
            17..20 => self.parallel_for(place),
            _ => self.parallel(place),
        }
    }

    /// A block after which all uses are as before, because a barrier ends it where barriers may be in it.
    fn isolated(&mut self, place: &Position) -> Vec<Stmt> {
        let mut body = self.block(place);
        if place.who == Who::Region {
            body.push(Stmt::Barrier);
        }
        body
    }

    fn declare(&mut self, place: &mut Position) -> Option<Stmt> {
        let array = self.one_in(4) && !self.is_in_flang_task(place);
        let length = if array { 1 << self.rng.u32(1..4) } else { 0 };
        let uniform = !place.each_thread || self.rng.bool();
        let mut value = self.expr(place, uniform, 2);
        if length > 0 && self.avoid.constant_arrays {
            // With the hidden zero it is none.
            value = Expr::Apply(Op::Xor, Box::new(value), Box::new(Expr::Var(0)));
        }
        let var = self.variable(length);
        place.seen.push(Seen { var, access: Access::Own, uniform, managed: None });
        Some(Stmt::Declare(var, value))
    }

    /// Whether serial code may not write what it has read.
    fn only_declares(&self, place: &Position) -> bool {
        self.avoid.serial_changes && place.who == Who::Initial
    }

    fn assign(&mut self, place: &mut Position) -> Option<Stmt> {
        if self.only_declares(place) {
            return None;
        }
        let own: Vec<_> = place.seen.iter().filter(|seen| seen.access == Access::Own).cloned().collect();
        let Seen { var, uniform, .. } = self.pick(&own)?;
        let value = self.expr(place, uniform, 3);
        Some(Stmt::Assign(self.place_in(place, var, uniform), value))
    }

    /// Elements of an array that is the thread's own become others.
    fn move_elements(&mut self, place: &mut Position) -> Option<Stmt> {
        if self.only_declares(place) {
            return None;
        }
        let arrays: Vec<Seen> = place.seen.iter().filter(|seen| self.is_array(seen.var)).cloned().collect();
        let own: Vec<Seen> = arrays.iter().filter(|seen| seen.access == Access::Own).cloned().collect();
        let Seen { var: to, uniform, .. } = self.pick(&own)?;
        let fits = |seen: &&Seen| {
            matches!(seen.access, Access::Own | Access::Read)
                && (seen.uniform || !uniform)
                && self.variables[seen.var].ty == self.variables[to].ty
        };
        let others: Vec<Var> = arrays.iter().filter(fits).map(|seen| seen.var).collect();
        let from = if self.one_in(4) { None } else { self.pick(&others) };
        let shorter = from.map_or(usize::MAX, |from| self.variables[from].length);
        let count = self.rng.usize(1..=self.variables[to].length.min(shorter));
        let mut first = |var: Var| self.rng.usize(0..=self.variables[var].length - count);
        let at = first(to);
        let from = from.map(|from| (from, first(from)));
        Some(Stmt::Move(Move { to, at, from, count, opaque: self.one_in(3) }))
    }

    fn place_in(&mut self, place: &Position, var: Var, uniform: bool) -> Place {
        if self.is_array(var) {
            Place::Element(var, self.expr(place, uniform, 1))
        } else {
            Place::Scalar(var)
        }
    }

    fn update(&mut self, place: &mut Position) -> Option<Stmt> {
        if place.who == Who::Region && !place.each_thread {
            return None;
        }
        let serial = self.only_declares(place);
        let flang_lane = place.who == Who::Lane && self.language == Language::Fortran;
        let choices: Vec<_> = place
            .seen
            .iter()
            .filter_map(|seen| match seen.access {
                Access::Update(_, Guard::Own) if serial => None,
                Access::Update(_, Guard::Critical(_) | Guard::Lock(_))
                    if place.teams || place.who == Who::Lane =>
                {
                    None
                }
                // flang 22 reads another counter of a `simd` loop behind it (docs/upstream.md).
                Access::Update(_, Guard::Atomic) if flang_lane && self.variables[seen.var].ty.is_real() => {
                    None
                }
                Access::Update(op, guard) => Some((seen.var, op, guard)),
                _ => None,
            })
            .collect();
        let (var, op, guard) = self.pick(&choices)?;
        let mut value = self.expr(place, false, 3);
        if place.league.contains(&var) && self.rng.bool() {
            value = Expr::Mix(Box::new(value), Box::new(Expr::Team));
        }
        Some(Stmt::Update(self.place_in(place, var, false), op, guard, value))
    }

    /// `place` for what a thread does under a condition of its own, or in a loop of its own.
    fn own_way(&self, place: &Position) -> Position {
        let mut inner = place.clone();
        if place.who == Who::Region {
            inner.who = Who::Thread;
            for seen in &mut inner.seen {
                if seen.access == Access::Own && seen.uniform {
                    seen.access = Access::Read;
                }
            }
        }
        inner
    }

    fn choice(&mut self, place: &mut Position) -> Option<Stmt> {
        let collective = place.who == Who::Region && !(place.each_thread && self.rng.bool());
        let condition = self.expr(place, collective, 3);
        let inner = if collective { place.clone() } else { self.own_way(place) };
        let yes = self.isolated(&inner);
        let no = if self.rng.bool() { self.isolated(&inner) } else { Vec::new() };
        Some(Stmt::If { condition, collective, yes, no })
    }

    fn repeat(&mut self, place: &mut Position) -> Option<Stmt> {
        let collective = place.who == Who::Region && !(place.each_thread && self.rng.bool());
        let head = self.head((MOST_TIMES / place.times).min(5));
        let mut inner = if collective { place.clone() } else { self.own_way(place) };
        inner.times *= head.values(0).count() as u64;
        inner.in_loop = true;
        inner.seen.push(Seen { var: head.counter, access: Access::Read, uniform: true, managed: None });
        let mut body = self.isolated(&inner);
        if self.only_declares(place) {
            // A thread that lags would read what the next iteration declares: a region ends each.
            inner.depth += 1;
            body.push(self.parallel_for(&mut inner)?);
        }
        Some(Stmt::Repeat { head, collective, body })
    }
}
