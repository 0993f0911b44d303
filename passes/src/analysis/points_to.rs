//! Which variables a pointer may point to, through memory, calls and what the runtime calls back: of all functions of a module,
//! whatever the order in which they run.
//!
//! A variable is what one execution of a function has for itself: on its stack, or from `__kmpc_alloc_shared`. Everything else, and
//! every variable whose address code that is not known may have, is outside of variables.

use super::runtime::{
    Known, THREAD_PARAMETERS, calls_back, known_call, parallel, parallel_operand, region_code,
};
use crate::ir::{Function, Inst, Module, Opcode, Value};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// A place that a pointer may point to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Target {
    /// The instruction that makes the variable; none outside of variables.
    pub variable: Option<Inst>,
    /// Bytes from its start; none if that is not known.
    offset: Option<i64>,
}

impl Target {
    const OUTSIDE: Self = Self { variable: None, offset: None };

    fn start_of(variable: Inst) -> Self {
        Self { variable: Some(variable), offset: Some(0) }
    }

    /// Any place in the same variable.
    pub fn anywhere(self) -> Self {
        Self { offset: None, ..self }
    }

    fn behind(self, bytes: Option<i64>) -> Self {
        let offset = self.offset.zip(bytes).map(|(offset, bytes)| offset + bytes);
        Self { offset, ..self }
    }
}

/// The places that a pointer may point to.
pub type Targets = BTreeSet<Target>;

/// So many places in one variable become one that is not known: pointers that walk through a variable.
const PLACES: usize = 16;

/// Adds places; whether there was a new one.
fn add(to: &mut Targets, from: &Targets) -> bool {
    let mut changed = false;
    for target in from {
        let [anywhere, last] = [None, Some(i64::MAX)].map(|offset| Target { offset, ..*target });
        if to.contains(&anywhere) {
            continue;
        }
        let places: Vec<Target> = to.range(anywhere..=last).copied().collect();
        if target.offset.is_none() || places.len() >= PLACES {
            places.iter().for_each(|place| {
                to.remove(place);
            });
            to.insert(anywhere);
            changed = true;
        } else {
            changed |= to.insert(*target);
        }
    }
    changed
}

/// The answers for a module.
pub struct PointsTo {
    module: Module,
    values: HashMap<Value, Targets>,
    /// What is stored in variables, by the offset, and outside.
    memory: HashMap<Option<Inst>, BTreeMap<Option<i64>, Targets>>,
    /// Numbers from outside of variables may be addresses.
    numbers: bool,
    changed: bool,
}

impl PointsTo {
    /// For all functions of a module, which LLVM's passes may have looked at: they copy structures with pointers as integers.
    pub fn of(module: Module) -> Self {
        Self::with(module, true)
    }

    /// For all functions of a module as a compiler wrote it: no number from elsewhere is an address, unless it makes pointers of some.
    pub fn as_written(module: Module) -> Self {
        let mut instructions = module.functions().into_iter().flat_map(Function::instructions);
        let makes_pointers = instructions.any(|inst| inst.opcode() == Opcode::LLVMIntToPtr);
        Self::with(module, makes_pointers)
    }

    fn with(module: Module, numbers: bool) -> Self {
        let mut found =
            Self { module, values: HashMap::new(), memory: HashMap::new(), numbers, changed: true };
        let functions: Vec<Function> =
            module.functions().into_iter().filter(|function| !function.is_declaration()).collect();
        for function in functions.iter().filter(|function| is_called_from_outside(**function)) {
            for parameter in function.parameters() {
                found.point(parameter, &Targets::from([Target::OUTSIDE]));
            }
        }
        while found.changed {
            found.changed = false;
            functions.iter().flat_map(|function| function.instructions()).for_each(|inst| found.step(inst));
            found.leave_to_unknown_code();
        }
        found
    }

    /// The places that a value may point to; none if it is no pointer.
    pub fn targets(&self, value: Value) -> Targets {
        if let Some(found) = self.values.get(&value) {
            return found.clone();
        }
        let is_address =
            value.is_constant() && value != value.ty().null() && value.ty().int_width().is_none();
        if is_address { Targets::from([Target::OUTSIDE]) } else { Targets::new() }
    }

    /// The variables that can be reached from places, by way of other variables and of what is outside.
    pub fn reached(&self, from: &Targets) -> HashSet<Inst> {
        self.follow(from, true)
    }

    /// The variables that can be reached from places by way of other variables alone.
    pub fn reached_inside(&self, from: &Targets) -> HashSet<Inst> {
        self.follow(from, false)
    }

    fn follow(&self, from: &Targets, mut outside: bool) -> HashSet<Inst> {
        let mut found = HashSet::new();
        let mut work: Vec<Target> = from.iter().copied().collect();
        while let Some(target) = work.pop() {
            let new = match target.variable {
                Some(variable) => found.insert(variable),
                None => std::mem::replace(&mut outside, false),
            };
            if new {
                work.extend(self.read(target.anywhere()));
            }
        }
        found
    }

    /// The variables that can be reached from outside.
    pub fn outside(&self) -> HashSet<Inst> {
        self.reached(&Targets::from([Target::OUTSIDE]))
    }

    /// The places in a variable where an address of another may be that is not known here, in bytes from its start; none of a place: in
    /// any.
    pub fn unknown_addresses(&self, variable: Inst) -> Vec<Option<i64>> {
        let places = self.memory.get(&Some(variable)).into_iter().flatten();
        let unknown = places.filter(|(_, stored)| stored.contains(&Target::OUTSIDE));
        unknown.map(|(offset, _)| *offset).collect()
    }

    /// What is stored at a place.
    pub fn read(&self, target: Target) -> Targets {
        let mut found = Targets::new();
        if target.variable.is_none() {
            found.insert(Target::OUTSIDE);
        }
        for (offset, stored) in self.memory.get(&target.variable).into_iter().flatten() {
            if offset.is_none() || target.offset.is_none() || *offset == target.offset {
                add(&mut found, stored);
            }
        }
        found
    }

    /// What is stored at places. What is stored outside is outside.
    fn read_all(&self, from: &Targets) -> Targets {
        let mut found = Targets::new();
        for target in from {
            match target.variable {
                Some(_) => add(&mut found, &self.read(*target)),
                None => found.insert(Target::OUTSIDE),
            };
        }
        found
    }

    fn point(&mut self, value: Value, to: &Targets) {
        let mut to = Cow::Borrowed(to);
        if !self.numbers && value.ty().is_number() && to.contains(&Target::OUTSIDE) {
            to.to_mut().remove(&Target::OUTSIDE);
        }
        if !to.is_empty() {
            self.changed |= add(self.values.entry(value).or_default(), &to);
        }
    }

    fn store(&mut self, stored: &Targets, to: &Targets) {
        if stored.is_empty() {
            return;
        }
        for target in to {
            let places = self.memory.entry(target.variable).or_default();
            self.changed |= add(places.entry(target.offset).or_default(), stored);
        }
    }

    /// Unknown code may store any address that it has wherever it can.
    fn leave_to_unknown_code(&mut self) {
        let outside = Targets::from([Target::OUTSIDE]);
        for variable in self.outside() {
            self.store(&outside, &Targets::from([Target::start_of(variable).anywhere()]));
        }
    }

    fn operands(&self, inst: Inst) -> Targets {
        let mut found = Targets::new();
        for operand in inst.operands() {
            let targets = self.targets(operand).into_iter().map(Target::anywhere).collect();
            add(&mut found, &targets);
        }
        found
    }

    fn step(&mut self, inst: Inst) {
        let value = inst.value();
        match inst.opcode() {
            Opcode::LLVMAlloca => self.point(value, &Targets::from([Target::start_of(inst)])),
            Opcode::LLVMGetElementPtr => {
                let (base, offset) = value.base_and_offset(self.module);
                let (base, offset) =
                    if base == value { (inst.operand(0), None) } else { (base, Some(offset)) };
                let targets = self.targets(base).into_iter().map(|target| target.behind(offset)).collect();
                self.point(value, &targets);
            }
            Opcode::LLVMAddrSpaceCast | Opcode::LLVMBitCast | Opcode::LLVMPHI | Opcode::LLVMSelect => {
                for operand in inst.operands() {
                    self.point(value, &self.targets(operand));
                }
            }
            Opcode::LLVMLoad => {
                let from = self.accessed(inst.operand(0), value);
                self.point(value, &self.read_all(&from));
            }
            Opcode::LLVMStore => {
                let to = self.accessed(inst.operand(1), inst.operand(0));
                self.store(&self.targets(inst.operand(0)), &to);
            }
            _ if inst.is_call() => self.call(inst),
            Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg => {
                let to: Targets = self.targets(inst.operand(0)).into_iter().map(Target::anywhere).collect();
                // The new value is the last operand.
                let stored = inst.operands().pop().map(|new| self.targets(new)).unwrap_or_default();
                self.store(&stored.into_iter().map(Target::anywhere).collect(), &to);
                self.point(value, &self.read_all(&to));
            }
            Opcode::LLVMICmp => {}
            _ => self.point(value, &self.operands(inst)),
        }
    }

    /// The places of an access: for all parts of a structure or vector anywhere.
    fn accessed(&self, pointer: Value, content: Value) -> Targets {
        let targets = self.targets(pointer);
        if content.ty().is_pointer() || content.ty().int_width().is_some() {
            return targets;
        }
        targets.into_iter().map(Target::anywhere).collect()
    }

    fn call(&mut self, call: Inst) {
        let name = call.callee_name();
        let given = call.arguments();
        if parallel(call).is_some() {
            return self.region(call);
        }
        if calls_back(&name)
            && name.contains("_static_loop_")
            && let Some(body) = given.get(1).and_then(|body| body.strip_casts().as_function())
        {
            if let [_, parameter] = body.parameters()[..] {
                self.point(parameter, &self.targets(given[2]));
            }
            return;
        }
        let copies = ["llvm.memcpy.", "llvm.memmove."].iter().any(|start| name.starts_with(start))
            || name == "memcpy"
            || name == "memmove";
        if copies {
            let [to, from] = [0, 1].map(|index| self.targets(given[index]));
            let stored = self.read_all(&from.into_iter().map(Target::anywhere).collect());
            self.store(&stored, &to.iter().map(|target| target.anywhere()).collect());
        }
        if name == "__kmpc_alloc_shared" {
            return self.point(call.value(), &Targets::from([Target::start_of(call)]));
        }
        match (known_call(call), call.callee()) {
            (Some(Known::SetsState), _) if is_reduction(&name) => {}
            (None, Some(callee)) if !callee.is_declaration() && !callee.is_interposable() => {
                for (parameter, given) in callee.parameters().into_iter().zip(given) {
                    self.point(parameter, &self.targets(given));
                }
                let ends = callee.instructions().filter(|inst| inst.opcode() == Opcode::LLVMRet);
                for end in ends.filter(|end| !end.operands().is_empty()) {
                    self.point(call.value(), &self.targets(end.operand(0)));
                }
            }
            (Some(Known::SetsState) | None, _) if !call.is_intrinsic() => {
                let outside = Targets::from([Target::OUTSIDE]);
                for given in given {
                    self.store(&self.targets(given), &outside);
                }
                if !call.ty().is_void() {
                    self.point(call.value(), &outside);
                }
            }
            _ => {
                self.point(call.value(), &self.operands(call));
                if call.ty().is_pointer() {
                    self.point(call.value(), &Targets::from([Target::OUTSIDE]));
                }
            }
        }
    }

    /// The code of a region gets what its array of arguments holds.
    fn region(&mut self, region: Inst) {
        let array = self.targets(region.operand(parallel_operand::ARGUMENTS));
        if let Some((code, _)) = region_code(region) {
            for (bytes, parameter) in
                (0..).step_by(8).zip(code.parameters().into_iter().skip(THREAD_PARAMETERS))
            {
                let places = array.iter().map(|target| target.behind(Some(bytes))).collect();
                self.point(parameter, &self.read_all(&places));
            }
        } else {
            self.store(&array, &Targets::from([Target::OUTSIDE]));
        }
    }
}

/// Whether a call may come from code that is not seen here, with any addresses.
fn is_called_from_outside(function: Function) -> bool {
    let is_called_here = |user: Value| {
        user.as_inst().is_some_and(|user| {
            user.is_call()
                && (user.callee() == Some(function)
                    || parallel(user).is_some()
                    || calls_back(&user.callee_name()))
        })
    };
    !function.is_local() || !function.value().users().into_iter().all(is_called_here)
}

/// Functions of the runtime that combine variables, and keep no address of them.
fn is_reduction(name: &str) -> bool {
    name.starts_with("__kmpc_nvptx_") && name.contains("_reduce_nowait")
        || name == "__kmpc_reduction_get_fixed_buffer"
}
