//! The result of a program, by one schedule that it may have: threads take turns, each construct to its end.

use super::program::{Address, Case, Expr, Head, Leave, Move, Place, Program, Stmt, Type, Var, mix};
use anyhow::{Result, bail, ensure};

/// More elementary steps than this make a program too slow for the interpreter of the device.
const MOST_STEPS: u64 = 60_000;

/// No variable has been declared here.
const NOWHERE: usize = usize::MAX;

/// What one thread sees: the place of each variable, and its numbers.
#[derive(Clone)]
struct Thread {
    places: Vec<usize>,
    number: u64,
    team: u64,
}

/// Why the statements behind the last one are skipped.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Leaving {
    Break,
    Continue,
    Return(u64),
}

struct Machine<'a> {
    program: &'a Program,
    memory: Vec<u64>,
    steps: u64,
    leaving: Option<Leaving>,
}

/// The final values of each mapped variable, in the order of [`Program::mapped`].
///
/// # Errors
/// The program takes too long, or uses a variable that it has not declared.
pub fn evaluate(program: &Program) -> Result<Vec<Vec<u64>>> {
    let mut machine = Machine { program, memory: Vec::new(), steps: 0, leaving: None };
    let mut thread = Thread { places: vec![NOWHERE; program.variables.len()], number: 0, team: 0 };
    machine.declare(&mut thread, 0, 0);
    for (var, first) in &program.mapped {
        machine.declare(&mut thread, *var, *first);
    }
    let places = thread.places.clone();
    for target in &program.targets {
        machine.run(std::slice::from_ref(&target.root), &mut [thread.clone()])?;
    }
    let values = |var: Var| {
        let length = program.variables[var].length.max(1);
        machine.memory[places[var]..places[var] + length].to_vec()
    };
    Ok(program.mapped.iter().map(|(var, _)| values(*var)).collect())
}

impl Machine<'_> {
    fn ty(&self, var: Var) -> Type {
        self.program.variables[var].ty
    }

    fn declare(&mut self, thread: &mut Thread, var: Var, value: u64) {
        thread.places[var] = self.memory.len();
        let ty = self.ty(var);
        let elements = self.program.variables[var].length.max(1) as u64;
        self.memory.extend((0..elements).map(|k| ty.cut(value.wrapping_add(k))));
    }

    /// A copy of the variable for the thread alone.
    fn copy(&mut self, thread: &mut Thread, var: Var) -> Result<()> {
        let from = self.place(thread, var)?;
        let length = self.program.variables[var].length.max(1);
        thread.places[var] = self.memory.len();
        self.memory.extend_from_within(from..from + length);
        Ok(())
    }

    fn place(&self, thread: &Thread, var: Var) -> Result<usize> {
        let place = thread.places[var];
        ensure!(place != NOWHERE, "v{var} is not declared");
        Ok(place)
    }

    fn index(&mut self, thread: &Thread, var: Var, index: &Expr) -> Result<usize> {
        let length = self.program.variables[var].length as u64;
        ensure!(length > 0, "v{var} is no array");
        Ok(self.place(thread, var)? + (self.value(thread, index)? & (length - 1)) as usize)
    }

    fn target(&mut self, thread: &Thread, place: &Place) -> Result<usize> {
        match place {
            Place::Scalar(var) => self.place(thread, *var),
            Place::Element(var, index) => self.index(thread, *var, index),
        }
    }

    fn element_behind(&mut self, thread: &Thread, array: Var, address: &Address) -> Result<usize> {
        Ok(match address {
            Address::Element(index) => self.index(thread, array, index)?,
            Address::Behind(pointer, by) => {
                let [start, at] = [self.place(thread, array)?, self.place(thread, *pointer)? + by];
                if at - start < self.program.variables[array].length { at } else { start }
            }
            Address::Choice(of, addresses) => {
                let (a, b) = (self.value(thread, &of[0])?, self.value(thread, &of[1])?);
                let less = self.program.language.wide().less(a, b);
                self.element_behind(thread, array, &addresses[usize::from(!less)])?
            }
        })
    }

    fn value(&mut self, thread: &Thread, expr: &Expr) -> Result<u64> {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            bail!("more than {MOST_STEPS} steps");
        }
        Ok(match expr {
            Expr::Const(value) => *value,
            Expr::Var(var) => self.memory[self.place(thread, *var)?],
            Expr::Element(var, index) => {
                let at = self.index(thread, *var, index)?;
                self.memory[at]
            }
            Expr::Thread => thread.number,
            Expr::Team => thread.team,
            Expr::Apply(op, a, b) => {
                op.apply(self.program.language.wide(), self.value(thread, a)?, self.value(thread, b)?)
            }
            Expr::Shift(a, by) => self.value(thread, a)? >> by,
            Expr::Mix(a, b) => mix(self.value(thread, a)?, self.value(thread, b)?),
            Expr::Select(of) => {
                let (a, b) = (self.value(thread, &of[0])?, self.value(thread, &of[1])?);
                let less = self.program.language.wide().less(a, b);
                self.value(thread, &of[if less { 2 } else { 3 }])?
            }
        })
    }

    /// Runs `body` for each value of the counters, the last one fastest.
    fn nest(&mut self, heads: &[Head], threads: &mut [Thread], body: &[Stmt]) -> Result<()> {
        let Some((head, inner)) = heads.split_first() else { return self.run(body, threads) };
        let outer = match head.slope {
            Some(slope) => self.memory[self.place(&threads[0], slope.outer)?] as i64,
            None => 0,
        };
        for value in head.values(outer) {
            for thread in &mut *threads {
                self.declare(thread, head.counter, value as u64);
            }
            self.nest(inner, threads, body)?;
            if self.ends_loop() {
                break;
            }
        }
        Ok(())
    }

    /// Whether the iteration that has just been run is the last one because of a `break` or `return` in it.
    fn ends_loop(&mut self) -> bool {
        let leaving = self.leaving;
        self.leaving = leaving.filter(|leaving| matches!(leaving, Leaving::Return(_)));
        matches!(leaving, Some(Leaving::Break | Leaving::Return(_)))
    }

    /// Runs statements for the threads of a team, or for one.
    fn run(&mut self, body: &[Stmt], threads: &mut [Thread]) -> Result<()> {
        for stmt in body {
            self.step(stmt, threads)?;
            if self.leaving.is_some() {
                break;
            }
        }
        Ok(())
    }

    fn step(&mut self, stmt: &Stmt, threads: &mut [Thread]) -> Result<()> {
        let (first, others) = threads.split_at_mut(1);
        match stmt {
            Stmt::Barrier => Ok(()),
            Stmt::Block(body) | Stmt::Outlined(body) => self.run(body, threads),
            Stmt::Ordered(body) | Stmt::Masked(body) => self.run(body, first),
            Stmt::Sections { sections, .. } => sections.iter().try_for_each(|body| self.run(body, first)),
            // The first team gets all iterations.
            Stmt::Loop(of) if of.directive.distributes() && first[0].team > 0 => Ok(()),
            Stmt::Loop(of) if !of.directive.shares() && !others.is_empty() => {
                threads.iter_mut().try_for_each(|thread| self.step(stmt, std::slice::from_mut(thread)))
            }
            Stmt::Loop(of) => {
                let mut thread = first[0].clone();
                for var in &of.private {
                    self.declare(&mut thread, *var, 0);
                }
                self.nest(&of.heads, &mut [thread], &of.body)
            }
            Stmt::Single { copyprivate, body, .. } => {
                self.run(body, first)?;
                if let Some(var) = copyprivate {
                    let value = self.memory[self.place(&first[0], *var)?];
                    for thread in others {
                        let place = self.place(thread, *var)?;
                        self.memory[place] = value;
                    }
                }
                Ok(())
            }
            Stmt::If { condition, collective: true, yes, no } => {
                let holds = self.value(&first[0], condition)? & 1;
                for thread in threads.iter() {
                    ensure!(self.value(thread, condition)? & 1 == holds, "threads part before a barrier");
                }
                self.run(if holds == 1 { yes } else { no }, threads)
            }
            Stmt::Repeat { head, collective: true, body } => {
                self.nest(std::slice::from_ref(head), threads, body)
            }
            _ => threads.iter_mut().try_for_each(|thread| self.alone(stmt, thread)),
        }
    }

    /// What each thread does for itself.
    fn alone(&mut self, stmt: &Stmt, thread: &mut Thread) -> Result<()> {
        let one = std::slice::from_mut(thread);
        match stmt {
            Stmt::Declare(var, value) => {
                let value = self.value(&one[0], value)?;
                self.declare(&mut one[0], *var, value);
            }
            Stmt::Assign(place, value) => {
                let value = self.value(&one[0], value)?;
                let at = self.target(&one[0], place)?;
                self.memory[at] = self.ty(place.variable()).cut(value);
            }
            Stmt::Update(place, op, _, value) => {
                let ty = self.ty(place.variable());
                let value = ty.cut(self.value(&one[0], value)?);
                let at = self.target(&one[0], place)?;
                self.memory[at] = ty.wrap(op.apply(ty, self.memory[at], value));
            }
            Stmt::Move(Move { to, at, from, count, .. }) => {
                let to = self.place(&one[0], *to)? + at;
                match from {
                    Some((from, first)) => {
                        let from = self.place(&one[0], *from)? + first;
                        self.memory.copy_within(from..from + count, to);
                    }
                    None => self.memory[to..to + count].fill(0),
                }
            }
            Stmt::Point { pointer, array, to, .. } => {
                one[0].places[*pointer] = self.element_behind(&one[0], *array, to)?;
            }
            Stmt::Repeat { head, body, .. } => self.nest(std::slice::from_ref(head), one, body)?,
            Stmt::If { condition, yes, no, .. } => {
                let chosen = if self.value(&one[0], condition)? & 1 == 1 { yes } else { no };
                self.run(chosen, one)?;
            }
            Stmt::Parallel(of) => {
                let serial = match &of.condition {
                    Some(condition) => self.value(&one[0], condition)? & 1 == 0,
                    None => false,
                };
                let size = if serial { 1 } else { of.threads.unwrap_or(1) };
                let mut team = Vec::new();
                for number in 0..u64::from(size) {
                    let mut thread = Thread { number, ..one[0].clone() };
                    for var in &of.firstprivate {
                        self.copy(&mut thread, *var)?;
                    }
                    team.push(thread);
                }
                self.run(&of.body, &mut team)?;
            }
            Stmt::Teams { count, body, .. } => {
                for team in 0..u64::from(*count) {
                    self.run(body, &mut [Thread { team, ..one[0].clone() }])?;
                }
            }
            Stmt::Tasks { tasks, .. } => {
                for task in tasks {
                    let mut thread = one[0].clone();
                    for var in &task.firstprivate {
                        self.copy(&mut thread, *var)?;
                    }
                    self.run(&task.body, &mut [thread])?;
                }
            }
            Stmt::While { counter, most, condition, body_first, body, .. } => {
                self.declare(&mut one[0], *counter, 0);
                let count = self.place(&one[0], *counter)?;
                let mut asked = !body_first;
                loop {
                    if asked && (self.memory[count] >= *most || self.value(&one[0], condition)? & 3 == 0) {
                        break;
                    }
                    asked = true;
                    self.memory[count] += 1;
                    self.run(body, one)?;
                    if self.ends_loop() {
                        break;
                    }
                }
            }
            Stmt::Switch { value, cases } => {
                let first = self.value(&one[0], value)? % (cases.len() as u64 + 1);
                for Case { body, falls } in &cases[first as usize..] {
                    self.run(body, one)?;
                    if self.leaving.is_some() || !falls {
                        break;
                    }
                }
                self.leaving = self.leaving.filter(|leaving| *leaving != Leaving::Break);
            }
            Stmt::Leave { condition, how } => {
                if self.value(&one[0], condition)? & 3 == 0 {
                    self.leaving = Some(match how {
                        Leave::Break => Leaving::Break,
                        Leave::Continue => Leaving::Continue,
                        Leave::Return(value) => Leaving::Return(self.value(&one[0], value)?),
                    });
                }
            }
            Stmt::Call { function, arguments, references, result } => {
                let value = self.call(*function, arguments, references, &one[0])?;
                self.declare(&mut one[0], *result, value);
            }
            _ => self.step(stmt, one)?,
        }
        Ok(())
    }

    /// What a function returns.
    fn call(
        &mut self,
        function: usize,
        arguments: &[Expr],
        references: &[Var],
        caller: &Thread,
    ) -> Result<u64> {
        let function = &self.program.functions[function];
        let mut thread = Thread { places: vec![NOWHERE; caller.places.len()], ..*caller };
        thread.places[0] = caller.places[0];
        for (var, argument) in function.values.iter().zip(arguments) {
            let value = self.value(caller, argument)?;
            self.declare(&mut thread, *var, value);
        }
        for (var, of) in function.references.iter().zip(references) {
            thread.places[*var] = self.place(caller, *of)?;
        }
        self.run(&function.body, std::slice::from_mut(&mut thread))?;
        match self.leaving.take() {
            Some(Leaving::Return(value)) => Ok(value),
            _ => self.value(&thread, &function.result),
        }
    }
}
