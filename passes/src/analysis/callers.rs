//! From which kernels a function is called, and inside of how many parallel regions.

use super::kernel::Kernel;
use super::runtime::{calls_back, known, parallel, parallel_operand};
use crate::ir::{Function, Inst, Module, Opcode, Value};
use std::collections::HashMap;

/// How deep code stands in parallel regions, as a set of bits.
pub mod level {
    /// Outside of all.
    pub const SERIAL: u8 = 1;
    /// In one.
    pub const ONE: u8 = 2;
    /// In more.
    pub const MORE: u8 = 4;
    /// Somewhere: the runtime calls it, or others that are not known, or between two calls of its own.
    pub const ANY: u8 = 8;

    /// One region deeper.
    pub const fn deeper(levels: u8) -> u8 {
        (levels & (SERIAL | ONE)) << 1 | levels & (MORE | ANY)
    }
}

/// Where a function is called from.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Origin {
    /// Kernels, by their numbers in [`Callers::kernels`], as bits.
    kernels: Vec<u64>,
    /// Depths in parallel regions: bits of [`level`].
    pub levels: u8,
    /// Whether code of other modules may call it.
    pub outside: bool,
}

impl Origin {
    fn add(&mut self, other: &Origin) -> bool {
        let before = self.clone();
        self.kernels.resize(self.kernels.len().max(other.kernels.len()), 0);
        self.kernels.iter_mut().zip(&other.kernels).for_each(|(word, more)| *word |= more);
        self.levels |= other.levels;
        self.outside |= other.outside;
        *self != before
    }
}

/// The origins of a module's functions.
pub struct Callers {
    /// The kernels.
    pub kernels: Vec<Kernel>,
    origins: HashMap<Function, Origin>,
}

/// A step from a function to one that it calls or starts.
struct Step {
    to: Function,
    deeper: bool,
    known: bool,
}

impl Callers {
    /// For `module`, which is all the code of the device if `whole_program`.
    pub fn of(module: Module, whole_program: bool) -> Self {
        let kernels = Kernel::all(module);
        let functions = module.functions();
        let starts: HashMap<Function, Vec<Step>> =
            functions.iter().map(|function| (*function, steps(*function))).collect();
        let is_kernel = |function: &Function| kernels.iter().any(|kernel| kernel.function == *function);
        let mut found = Self { origins: HashMap::new(), kernels: Vec::new() };
        let mut work = Vec::new();
        let all = vec![u64::MAX; kernels.len().div_ceil(64)];
        for (number, kernel) in kernels.iter().enumerate() {
            let mut bits = vec![0; number / 64 + 1];
            bits[number / 64] = 1 << (number % 64);
            work.push((kernel.function, Origin { kernels: bits, levels: level::SERIAL, outside: false }));
        }
        for function in functions.into_iter().filter(|function| !is_kernel(function)) {
            // Of a whole program what nobody calls, but the host perhaps: a kernel without an environment.
            let is_root = || function.value().users().is_empty();
            let is_visible = !function.is_local() && (!whole_program || is_root());
            if !function.is_declaration() && (is_visible || is_address_taken(function)) {
                let kernels = all.clone();
                work.push((
                    function,
                    Origin { kernels, levels: level::ANY, outside: !whole_program || is_root() },
                ));
            }
        }
        let old_way = module.function("__kmpc_serialized_parallel").map(Function::value);
        for call in old_way.into_iter().flat_map(Value::using_instructions) {
            work.push((call.function(), Origin { levels: level::ANY, ..Origin::default() }));
        }
        while let Some((function, origin)) = work.pop() {
            let own = found.origins.entry(function).or_default();
            if !own.add(&origin) {
                continue;
            }
            for step in &starts[&function] {
                // The only call of a kernel is that of the function which the host launches, in code with debug info.
                if is_kernel(&step.to) {
                    continue;
                }
                let levels = match step {
                    Step { known: false, .. } => level::ANY,
                    Step { deeper: true, .. } => level::deeper(own.levels),
                    _ => own.levels,
                };
                work.push((step.to, Origin { levels, ..own.clone() }));
            }
        }
        found.kernels = kernels;
        found
    }

    /// Where a function is called from; nowhere if it is not called at all.
    pub fn origin(&self, function: Function) -> Origin {
        self.origins.get(&function).cloned().unwrap_or_default()
    }

    /// The kernels from which a function is called. None if there may be others, or none at all.
    pub fn kernels_of(&self, function: Function) -> Option<Vec<Kernel>> {
        let origin = self.origins.get(&function).filter(|origin| !origin.outside)?;
        let has = |number: &usize| {
            origin.kernels.get(number / 64).is_some_and(|word| word >> (number % 64) & 1 != 0)
        };
        let found: Vec<Kernel> =
            (0..self.kernels.len()).filter(has).map(|number| self.kernels[number]).collect();
        (!found.is_empty()).then_some(found)
    }
}

/// What a function calls and starts.
fn steps(function: Function) -> Vec<Step> {
    let mut found = Vec::new();
    for call in function.instructions().filter(|inst| inst.is_call()) {
        if parallel(call).is_some() {
            for operand in [parallel_operand::CODE, parallel_operand::WRAPPER] {
                let code = call.operand(operand).strip_casts().as_function();
                found.extend(code.map(|to| Step { to, deeper: true, known: true }));
            }
        }
        if let Some(to) = call.callee().filter(|callee| !callee.is_declaration()) {
            found.push(Step { to, deeper: false, known: !is_runtime(to) });
        }
    }
    found
}

/// Whether this is a function of the runtime, which may change the level.
pub fn is_runtime(function: Function) -> bool {
    known(function).is_some() || calls_back(&function.name())
}

/// Whether something else is done with a function's address than calling it and starting it as a region.
fn is_address_taken(function: Function) -> bool {
    let address = function.value();
    let harmless = |user: Inst| match parallel(user) {
        Some(region) => {
            let others = user.arguments().iter().filter(|value| **value == address).count();
            let own = [region.code, user.operand(parallel_operand::WRAPPER)];
            others == own.iter().filter(|value| **value == address).count()
        }
        None if user.is_call() => !user.arguments().contains(&address),
        // The loop of workers asks which region it is.
        None => user.opcode() == Opcode::LLVMICmp,
    };
    !address.users().into_iter().all(|user| user.as_inst().is_some_and(harmless))
}

/// The calls of a function by its name: of the code of a region those by other regions, which were merged. None if it is called by
/// anybody else but the runtime, to which it was given as a region, and workers on its behalf.
pub fn calls_of_code(code: Function) -> Option<Vec<Inst>> {
    let address = code.value();
    let mut calls = Vec::new();
    for user in address.users() {
        let user = user.as_inst()?;
        match parallel(user) {
            Some(region) if region.code == address => {}
            None if user.called() == Some(address) && is_wrapper(user.function()) => {}
            None if user.called() == Some(address) && user.function() != code => calls.push(user),
            _ => return None,
        }
    }
    Some(calls)
}

/// Whether a function is what the workers of a generic kernel call.
fn is_wrapper(function: Function) -> bool {
    let address = function.value();
    let users = address.users();
    let starts = |user: &Value| {
        let call = user.as_inst().filter(|inst| parallel(*inst).is_some());
        call.is_some_and(|call| call.operand(parallel_operand::WRAPPER) == address)
    };
    !users.is_empty() && users.iter().all(starts)
}

#[cfg(test)]
mod tests {
    use super::level::{ANY, MORE, ONE, SERIAL, deeper};

    #[test]
    fn a_region_is_one_level_deeper() {
        assert_eq!(deeper(SERIAL), ONE);
        assert_eq!(deeper(ONE), MORE);
        assert_eq!(deeper(MORE), MORE);
        assert_eq!(deeper(SERIAL | ONE), ONE | MORE);
        assert_eq!(deeper(ANY), ANY);
        assert_eq!(deeper(SERIAL | ANY), ONE | ANY);
    }
}
