//! Pointers to arrays of variable length that a region captures: `double (*a)[n]`, and `a[i][j]` in it.
//!
//! An access to such an array makes clang allocate a variable for the pointer where all threads reach it, as for any variable whose address
//! goes somewhere. The value that the region got stays in the function's own copy of the parameter, which nobody reads, and
//! the accesses go to whatever was in the other one (`docs/upstream.md`). So the value is stored there, too.

use crate::Error;
use crate::ir::{Builder, Function, Inst, Module, Opcode, Value};

/// The size of a pointer, in bytes.
const POINTER: u64 = 8;

/// What clang promises of the address of such a variable: a pointer's own alignment, in bytes. Of other variables it promises more.
const ALIGNMENT: u64 = 8;

/// Stores the values; whether there were any.
///
/// # Errors
/// It is not to be seen which of several values is whose: the values have no names.
pub fn run(module: Module) -> Result<bool, Error> {
    let functions = module.functions().into_iter().filter(|function| !function.is_declaration());
    let mut any = false;
    for function in functions {
        let pairs = pairs(function)?;
        for (memory, value) in &pairs {
            let behind = memory.next().expect("a call does not end a block");
            Builder::before(behind).store(*value, memory.value());
        }
        any |= !pairs.is_empty();
    }
    Ok(any)
}

/// The variables of one function, and the parameters whose values they lack.
fn pairs(function: Function) -> Result<Vec<(Inst, Value)>, Error> {
    let memories: Vec<Inst> = function.instructions().filter(|inst| is_variable(*inst)).collect();
    if memories.is_empty() {
        return Ok(Vec::new());
    }
    let lost: Vec<Value> = function.parameters().into_iter().filter(|value| is_lost(*value)).collect();
    if let ([memory], [value]) = (&memories[..], &lost[..]) {
        return Ok(vec![(*memory, *value)]);
    }
    if lost.is_empty() {
        return Ok(Vec::new());
    }
    if lost.iter().any(|value| value.name().is_empty()) {
        return Err(Error::Names { function: function.name() });
    }
    let names = |values: &[Value]| values.iter().map(|value| value.name()).collect::<Vec<_>>();
    let of_memories = names(&memories.iter().map(|memory| memory.value()).collect::<Vec<_>>());
    let found = match_names(&of_memories, &names(&lost));
    Ok(memories.into_iter().zip(found).filter_map(|(memory, index)| Some((memory, lost[index?]))).collect())
}

/// Whether a call allocates such a variable.
fn is_variable(inst: Inst) -> bool {
    inst.callee_name() == "__kmpc_alloc_shared"
        && inst.operand(0).as_constant_int() == Some(POINTER)
        && inst.promised_alignment() == Some(ALIGNMENT)
}

/// Whether a parameter is a pointer that is stored into a variable which nobody reads.
fn is_lost(parameter: Value) -> bool {
    let [copy] = parameter.using_instructions()[..] else { return false };
    parameter.ty().is_pointer()
        && copy.opcode() == Opcode::LLVMStore
        && copy.stored() == Some(parameter)
        && copy.pointer().and_then(|variable| variable.as_alloca()).is_some_and(|variable| {
            variable.value().using_instructions().iter().all(|user| *user == copy || user.is_intrinsic())
        })
}

/// For each variable the place of the parameter that is its owner, and the number behind its name.
type Owners = Vec<Option<(usize, u64)>>;

/// For each variable the one of `parameters` that it belongs to. LLVM has put a number behind the variable's name, which is the parameter's, and
/// counts on from name to name, mostly by one: `b9, a110, a11` are those of `b`, `a1` and `a`.
fn match_names(variables: &[String], parameters: &[String]) -> Vec<Option<usize>> {
    let mut found: Vec<Owners> = vec![Vec::new()];
    for variable in variables {
        let fits = |(index, name): (usize, &String)| {
            Some((index, variable.strip_prefix(name.as_str())?.parse().ok()?))
        };
        let fitting: Vec<(usize, u64)> = parameters.iter().enumerate().filter_map(fits).collect();
        let go_on = |before: &Owners| -> Vec<Owners> {
            let with = |owner| before.iter().copied().chain([owner]).collect();
            let follows = |owner: &&(usize, u64)| {
                before.iter().flatten().all(|other| other.0 != owner.0 && other.1 < owner.1)
            };
            match &fitting[..] {
                [] => vec![with(None)],
                some => some.iter().filter(follows).map(|owner| with(Some(*owner))).collect(),
            }
        };
        found = found.iter().flat_map(go_on).collect();
    }
    let span = |owners: &Owners| {
        let mut numbers = owners.iter().flatten().map(|owner| owner.1);
        numbers.next().map_or(0, |first| numbers.next_back().unwrap_or(first) - first)
    };
    let closest = found.into_iter().min_by_key(span).unwrap_or_else(|| vec![None; variables.len()]);
    closest.into_iter().map(|owner| owner.map(|(index, _)| index)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matched(variables: &[&str], parameters: &[&str]) -> Vec<Option<usize>> {
        let owned = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        match_names(&owned(variables), &owned(parameters))
    }

    #[test]
    fn variables_have_the_names_of_parameters_and_a_number() {
        assert_eq!(matched(&["y4", "x5"], &["x", "y"]), [Some(1), Some(0)]);
        assert_eq!(matched(&["z5", "x16", "x7"], &["x", "z", "x1"]), [Some(1), Some(2), Some(0)]);
        assert_eq!(matched(&["b9", "a110", "a11"], &["a", "a1", "b"]), [Some(2), Some(1), Some(0)]);
        assert_eq!(matched(&["a12", "a130"], &["a", "a1"]), [Some(0), Some(1)]);
        assert_eq!(matched(&["other3", "x4", "x"], &["x"]), [None, Some(0), None]);
    }
}
