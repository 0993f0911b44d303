//! Variables that clang leaves on the stack though other threads reach them: of types of a variable length, and structures that functions
//! take by value.
//!
//! clang allocates what a parallel region captures where all threads reach it, but no private array of variable length (`private(a)` of
//! `int a[n]`), and no parameter that points to such arrays (`double a[n][n]`): regions read and write the stack of each thread
//! at an address on the stack of another one (`docs/upstream.md`). For a structure that a function takes by value, a lambda
//! for one, it allocates memory that nobody uses, and hands over the parameter. So these are allocated as the others are, and what a program
//! allocates on the stack itself (`alloca`) as well, if it hands it to a region.

use super::regions;
use crate::analysis::runtime::{parallel, parallel_operand};
use crate::ir::{Builder, Function, Inst, Module, Opcode, Value};
use std::collections::HashSet;

/// Moves them, in a module that clang has just made; whether there were any.
pub fn run(module: Module) -> bool {
    let functions = module.functions().into_iter();
    let variables: Vec<(Function, Vec<Inst>)> =
        functions.map(|function| (function, captured(module, function))).collect();
    variables
        .into_iter()
        .fold(false, |any, (function, variables)| regions::move_variables(module, function, variables) | any)
}

/// The variables on the stack of a function with regions which these reach: parameters whose addresses it hands to them, copies
/// of structures that it takes by value, and memory of variable length whose address it stores, which may be where regions read it. A region without a wrapper, in a kernel of which all
/// threads run the serial code, is run by those that come to it, each with variables of its own.
fn captured(module: Module, function: Function) -> Vec<Inst> {
    let null = module.pointer_type().null();
    let is_shared =
        |inst: &Inst| parallel(*inst).is_some() && inst.operand(parallel_operand::WRAPPER) != null;
    let regions = function.instructions().filter(is_shared);
    let arrays: HashSet<Value> =
        regions.map(|region| region.operand(parallel_operand::ARGUMENTS).strip_casts()).collect();
    if arrays.is_empty() {
        return Vec::new();
    }
    let stores = |variable: Value| {
        variable.using_instructions().into_iter().filter(move |user| user.stored() == Some(variable))
    };
    let is_handed = |store: Inst| {
        let place = store.pointer().expect("a store has one");
        let element = place.as_inst().filter(|inst| inst.opcode() == Opcode::LLVMGetElementPtr);
        arrays.contains(&element.map_or(place, |element| element.operand(0)))
    };
    let reached = |variable: &Inst| {
        let mut stores = stores(variable.value());
        if variable.operand(0).as_constant_int().is_none() {
            stores.next().is_some()
        } else {
            stores.any(is_handed) && holds_parameter(function, *variable)
        }
    };
    let variables = function.instructions().filter(|inst| inst.opcode() == Opcode::LLVMAlloca);
    let mut found: Vec<Inst> = variables.filter(reached).collect();
    for (index, parameter) in (0..).zip(function.parameters()) {
        let Some(ty) = function.by_value(index).filter(|_| stores(parameter).any(is_handed)) else {
            continue;
        };
        let copy = Builder::before(function.entry().first_non_phi()).alloca(ty, &parameter.name());
        parameter.replace_all_uses(copy.value());
        Builder::before(function.entry().first_non_alloca()).copy(copy, parameter, module.size_of(ty));
        found.push(copy);
    }
    found
}

/// Whether a variable is a function's own copy of a pointer that it was given.
fn holds_parameter(function: Function, variable: Inst) -> bool {
    let stores = variable.value().using_instructions().into_iter().filter_map(|user| user.stored());
    variable.allocated_type().is_pointer()
        && stores.into_iter().any(|value| function.parameters().contains(&value))
}
