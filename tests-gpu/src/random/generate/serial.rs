//! Serial code between parallel regions: loops that memory steers, `switch`, jumps, and functions that serial code and
//! threads call.

use super::super::program::{
    Address, Case, Expr, Function, Language, Leave, Move, Op, Place, Stmt, Type, Var, Variable,
};
use super::{Access, Generator, Guard, MOST_REGIONS, MOST_TIMES, Position, Seen, Who};

/// What callers must know of a function.
#[derive(Clone, Debug)]
pub(super) struct Signature {
    values: usize,
    /// The type, the length if it is an array, and the use.
    references: Vec<(Type, usize, Access)>,
    /// It calls itself as often as its first parameter says.
    recursive: bool,
    /// Only serial code may call it, as the sizes of its regions matter.
    serial: bool,
    /// Parallel regions in each other.
    regions: u32,
}

fn own(var: Var) -> Seen {
    Seen { var, access: Access::Own, uniform: true, managed: None }
}

impl Generator {
    /// A statement of one thread, in a program that is mostly serial code.
    pub(super) fn serial(&mut self, place: &mut Position) -> Option<Stmt> {
        match self.rng.u32(0..40) {
            32.. if place.who == Who::Initial => self.point(place),
            0..3 => self.declare(place),
            3..6 => self.assign(place),
            6 => self.move_elements(place),
            7 => self.update(place),
            _ if place.depth > 5 => self.assign(place),
            8..10 => self.choice(place),
            10 => self.repeat(place),
            11..14 => self.while_loop(place),
            14 | 15 => self.switch(place),
            16 | 17 => self.leave(place),
            18..21 => self.call(place),
            21 => Some(Stmt::Outlined(self.block(&Position {
                in_loop: false,
                in_function: false,
                ..place.clone()
            }))),
            22 => self.without_pointers(place, Self::tasks),
            23 => self.without_pointers(place, Self::simd),
            24 if !place.league.is_empty() => self.without_pointers(place, Self::distribute),
            24..28 => self.without_pointers(place, Self::parallel_for),
            _ => self.without_pointers(place, Self::parallel),
        }
    }

    /// A construct: what clauses do with a pointer is not what they do with the element, which others may change by its own name.
    fn without_pointers(
        &mut self,
        place: &mut Position,
        construct: fn(&mut Self, &mut Position) -> Option<Stmt>,
    ) -> Option<Stmt> {
        let is_pointer = |seen: &mut Seen| self.pointers.contains_key(&seen.var);
        let pointers: Vec<Seen> = place.seen.extract_if(.., is_pointer).collect();
        let made = construct(self, place);
        place.seen.extend(pointers);
        made
    }

    /// A pointer into an array that the code may change, or another element for one.
    fn point(&mut self, place: &mut Position) -> Option<Stmt> {
        if self.language == Language::Fortran {
            return None;
        }
        let seen: Vec<Var> =
            place.seen.iter().filter(|seen| seen.access == Access::Own).map(|seen| seen.var).collect();
        let pointers: Vec<Var> = seen.iter().copied().filter(|var| self.pointers.contains_key(var)).collect();
        if let Some(pointer) = self.pick(&pointers).filter(|_| !self.one_in(3)) {
            let array = self.pointers[&pointer];
            let to = self.address(place, array, &pointers, 2);
            return Some(Stmt::Point { pointer, array, to, declares: false });
        }
        let arrays: Vec<Var> = seen.into_iter().filter(|var| self.is_array(*var)).collect();
        let array = self.pick(&arrays)?;
        let to = self.address(place, array, &pointers, 2);
        self.variables.push(Variable { ty: self.ty(array), length: 0 });
        let pointer = self.variables.len() - 1;
        self.pointers.insert(pointer, array);
        place.seen.push(Seen { uniform: !place.each_thread, ..own(pointer) });
        Some(Stmt::Point { pointer, array, to, declares: true })
    }

    /// An element of an array, for a pointer.
    fn address(&mut self, place: &Position, array: Var, pointers: &[Var], depth: u32) -> Address {
        let into: Vec<Var> =
            pointers.iter().copied().filter(|pointer| self.pointers[pointer] == array).collect();
        let length = self.variables[array].length;
        match self.rng.u32(0..6) {
            0 | 1 if depth > 0 => {
                let of = [self.expr(place, false, 1), self.expr(place, false, 1)];
                let mut below = || self.address(place, array, pointers, depth - 1);
                Address::Choice(Box::new(of), Box::new([below(), below()]))
            }
            2..5 if !into.is_empty() => {
                let pointer = into[self.rng.usize(0..into.len())];
                let by = if self.one_in(3) { 0 } else { self.rng.usize(0..length) };
                Address::Behind(pointer, by)
            }
            _ => Address::Element(self.expr(place, false, 1)),
        }
    }

    /// One in a parallel region there, which compiles fast.
    pub(super) fn in_region(&mut self, place: &mut Position) -> Option<Stmt> {
        match self.rng.u32(0..14) {
            0 => self.declare(place),
            1 => self.assign(place),
            2 => self.move_elements(place),
            3..7 => self.update(place),
            _ if place.depth > 5 => self.update(place),
            7 => self.choice(place),
            8 if place.who == Who::Thread => self.call(place),
            9 => self.parallel_for(place),
            10 => self.parallel(place),
            _ if place.who == Who::Region => self.worksharing(place),
            _ => self.update(place),
        }
    }

    fn while_loop(&mut self, place: &Position) -> Option<Stmt> {
        let most = self.rng.u64(1..=(MOST_TIMES / place.times).clamp(1, 5));
        let condition = self.expr(place, false, 3);
        self.variables.push(Variable { ty: Type::U32, length: 0 });
        let counter = self.variables.len() - 1;
        let mut inner = Position { in_loop: true, times: place.times * most, ..place.clone() };
        inner.seen.push(Seen { access: Access::Read, ..own(counter) });
        let (body_first, calls) = (self.rng.bool(), self.one_in(3));
        Some(Stmt::While { counter, most, condition, body_first, calls, body: self.block(&inner) })
    }

    fn switch(&mut self, place: &Position) -> Option<Stmt> {
        let value = self.expr(place, false, 2);
        let count = self.rng.u32(1..4);
        let cases = (0..count).map(|_| Case { body: self.block(place), falls: self.one_in(3) }).collect();
        Some(Stmt::Switch { value, cases })
    }

    fn leave(&mut self, place: &Position) -> Option<Stmt> {
        let how = match self.rng.u32(0..3) {
            0 if place.in_loop => Leave::Break,
            1 if place.in_loop => Leave::Continue,
            2 if place.in_function => Leave::Return(self.expr(place, false, 1)),
            _ => return None,
        };
        Some(Stmt::Leave { condition: self.expr(place, false, 2), how })
    }

    /// A call of a function that may be called here, with variables that it may use as it does.
    pub(super) fn call(&mut self, place: &mut Position) -> Option<Stmt> {
        let may = |f: &Signature| {
            place.times <= 60
                && place.regions + f.regions <= MOST_REGIONS
                && (!f.serial || place.who == Who::Initial && place.regions == 0 && !place.task)
        };
        let all: Vec<usize> = (0..self.functions.len()).filter(|k| may(&self.functions[*k])).collect();
        let function = self.pick(&all)?;
        let depth = self.rng.u64(0..5);
        self.call_of(place, function, Expr::Const(depth))
    }

    /// The same of `function`; `depth` is its first argument if it is recursive.
    fn call_of(&mut self, place: &mut Position, function: usize, depth: Expr) -> Option<Stmt> {
        let Signature { values, references: wanted, recursive, regions, .. } =
            self.functions[function].clone();
        self.deepest = self.deepest.max(place.regions + regions);
        let mut references = Vec::new();
        for (ty, length, access) in wanted {
            let fits = |seen: &&Seen| {
                seen.access == access || seen.access == Access::Own && matches!(access, Access::Update(..))
            };
            let all: Vec<Var> = place.seen.iter().filter(fits).map(|seen| seen.var).collect();
            let of_that_form: Vec<Var> = all
                .into_iter()
                .filter(|var| {
                    let of = &self.variables[*var];
                    let long_enough = of.length >= length && (of.length > 0) == (length > 0);
                    of.ty == ty && long_enough && !references.contains(var)
                })
                .collect();
            references.push(self.pick(&of_that_form)?);
        }
        let mut arguments: Vec<Expr> = (0..values).map(|_| self.expr(place, false, 2)).collect();
        if recursive {
            arguments[0] = depth;
        }
        let result = self.variable(0);
        place.seen.push(Seen { uniform: !place.each_thread, ..own(result) });
        Some(Stmt::Call { function, arguments, references, result })
    }

    /// Makes a function, which may call those that are there already, and itself.
    pub(super) fn function(&mut self) -> Function {
        let (serial, recursive) = (self.one_in(3), self.one_in(3));
        self.statements = self.rng.u32(3..11);
        self.regions = self.rng.u32(0..3);
        let regions = if serial { 0 } else { 1 };
        let mut place = Position {
            who: Who::Initial,
            seen: Vec::new(),
            // It may be called in teams, where few constructs are allowed.
            teams: true,
            league: Vec::new(),
            each_thread: false,
            regions,
            task: false,
            untied: false,
            depth: 1,
            times: 8,
            most_threads: 64,
            in_loop: false,
            in_function: true,
        };
        let values: Vec<Var> = (0..self.rng.u32(1..4)).map(|_| self.variable(0)).collect();
        place.seen.extend(values.iter().copied().map(own));
        if recursive {
            place.seen[0].access = Access::Read;
        }
        let (mut references, mut types, mut body, mut end) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        if self.rng.bool() && !self.avoid.own_atomics {
            // A variable of the caller that all threads may change.
            let var = self.scalar_or_array();
            let op = if self.rng.bool() { Op::Add } else { Op::Max };
            let access = Access::Update(op, Guard::Atomic);
            place.seen.push(Seen { access, ..own(var) });
            references.push(var);
            types.push((self.ty(var), self.variables[var].length, access));
        }
        if self.rng.bool() {
            // One that the function copies in and out: its own variable can be shared, reduced and so on.
            let pointer = self.scalar_or_array();
            let Variable { ty, length } = self.variables[pointer];
            self.variables.push(Variable { ty, length });
            let copy = self.variables.len() - 1;
            if length > 0 {
                let all = |to, from| Move { to, at: 0, from: Some((from, 0)), count: length, opaque: false };
                body.push(Stmt::Declare(copy, Expr::Const(1)));
                body.push(Stmt::Move(all(copy, pointer)));
                end.push(Stmt::Move(all(pointer, copy)));
            } else {
                body.push(Stmt::Declare(copy, Expr::Var(pointer)));
                end.push(Stmt::Assign(Place::Scalar(pointer), Expr::Var(copy)));
            }
            place.seen.push(own(copy));
            references.push(pointer);
            types.push((ty, length, Access::Own));
        }
        self.deepest = regions;
        self.fill(&mut place, &mut body);
        let mut signature = Signature {
            values: values.len(),
            references: types,
            recursive,
            serial,
            regions: self.deepest - regions,
        };
        if recursive {
            self.functions.push(signature.clone());
            self.call_itself(&mut place, values[0], &mut body);
            self.functions.pop();
            self.statements = self.rng.u32(2..6);
            self.fill(&mut place, &mut body);
            signature.regions = self.deepest - regions;
        }
        let result = self.expr(&place, false, 2);
        body.extend(end);
        self.functions.push(signature);
        Function { values, references, inlined: self.rng.bool(), body, result }
    }

    /// The call of the function that is being made by itself, if its first parameter is not yet 0.
    fn call_itself(&mut self, place: &mut Position, depth: Var, body: &mut Vec<Stmt>) {
        let function = self.functions.len() - 1;
        let less = Expr::Apply(Op::Add, Box::new(Expr::Var(depth)), Box::new(Expr::Const(u64::MAX)));
        let mut inner = place.clone();
        let Some(call) = self.call_of(&mut inner, function, less) else { return };
        let result = inner.seen[inner.seen.len() - 1].var;
        let sum = self.variable(0);
        body.push(Stmt::Declare(sum, self.expr(place, false, 1)));
        place.seen.push(own(sum));
        let [zero, one] = [Expr::Const(0), Expr::Const(1)];
        body.push(Stmt::If {
            condition: Expr::Select(Box::new([zero.clone(), Expr::Var(depth), one, zero])),
            collective: false,
            yes: vec![
                call,
                Stmt::Assign(
                    Place::Scalar(sum),
                    Expr::Mix(Box::new(Expr::Var(sum)), Box::new(Expr::Var(result))),
                ),
            ],
            no: Vec::new(),
        });
    }

    /// A variable that a function gets by reference.
    fn scalar_or_array(&mut self) -> Var {
        let length = if self.one_in(3) { 1 << self.rng.u32(1..4) } else { 0 };
        self.variable(length)
    }

    fn ty(&self, var: Var) -> Type {
        self.variables[var].ty
    }
}
