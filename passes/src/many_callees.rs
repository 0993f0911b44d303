//! Calls through pointers of functions that many kernels give a function of their own.
//!
//! Where openmp-opt knows all the functions that a pointer may be, it asks for each of them and calls that one directly. A function
//! of the runtime then grows with the number of kernels, and once LLVM makes it part of each of them, a link of many kernels
//! takes time by the square of their number. openmp-opt has no bound for it (docs/upstream.md). So while it runs, such calls
//! are in functions of their own, where it may ask. Behind it they are in their place again, as they were, and what has them is part
//! of its callers at once: openmp-opt's later runs see calls of one function each.

use crate::analysis::runtime::is_openmp;
use crate::ir::{Builder, Error, Function, Inst, Module, Type, Value};
use std::collections::{HashMap, HashSet};

/// With more functions than that a call is kept from openmp-opt. None of the programs whose code is compared with that of
/// LLVM's runtime comes near it.
const MOST: usize = 16;

/// openmp-opt as a device link runs it.
const OPENMP_OPT: &str = "openmp-opt-postlink";

/// Runs openmp-opt over what a device link joins, if there are such calls; whether there are any.
///
/// # Errors
/// LLVM has no such pass.
pub fn run(module: Module) -> Result<bool, Error> {
    let calls = calls_of_many(module);
    if calls.is_empty() {
        return Ok(false);
    }
    let mut places: HashMap<Type, Function> = HashMap::new();
    for call in calls {
        let place = *places.entry(call.called_type()).or_insert_with(|| place(module, call));
        let given: Vec<Value> = call.called().into_iter().chain(call.arguments()).collect();
        Builder::before(call).call(place, &given, "");
        call.erase();
    }
    // By name: openmp-opt may drop one that nobody calls.
    let types: HashMap<String, Type> = places.into_iter().map(|(ty, place)| (place.name(), ty)).collect();
    module.run_passes(OPENMP_OPT)?;
    let mut called = Vec::new();
    for place in module.functions() {
        let Some(&ty) = types.get(&place.name()) else { continue };
        for call in place.value().using_instructions() {
            let given = call.arguments();
            Builder::before(call).call_pointer(ty, given[0], &given[1..]);
            called.push((call.function(), given[0]));
            call.erase();
        }
        place.erase();
    }
    join_callers(called);
    Ok(true)
}

/// The calls through a parameter for which callers give many functions.
fn calls_of_many(module: Module) -> Vec<Inst> {
    let mut known: HashMap<Value, bool> = HashMap::new();
    let mut found = Vec::new();
    for function in module.functions() {
        for call in function.instructions().filter(|inst| inst.is_call() && inst.value().ty().is_void()) {
            let Some(called) = call.called().filter(|called| called.is_argument()) else { continue };
            let by_value = (0..call.arguments().len()).any(|index| call.by_value(index as u32).is_some());
            if !by_value && *known.entry(called).or_insert_with(|| are_many(function, called)) {
                found.push(call);
            }
        }
    }
    found
}

/// Whether programs give a function of the runtime many functions for a parameter, itself or through other parameters.
fn are_many(function: Function, parameter: Value) -> bool {
    let mut given = HashSet::new();
    let mut seen = HashSet::from([parameter]);
    let mut work = vec![(function, parameter)];
    while let Some((function, parameter)) = work.pop() {
        for (call, argument) in given_for(function, parameter) {
            match argument.as_function() {
                Some(one) if is_openmp(&function.name()) => {
                    given.insert(one);
                }
                None if argument.is_argument() && seen.insert(argument) => {
                    work.push((call.function(), argument));
                }
                _ => {}
            }
        }
    }
    given.len() > MOST
}

/// The calls of a function, with what each gives for a parameter.
fn given_for(function: Function, parameter: Value) -> Vec<(Inst, Value)> {
    let index = function.parameters().iter().position(|&it| it == parameter);
    let mut calls = function.value().using_instructions();
    calls.retain(|call| call.is_call() && call.callee() == Some(function));
    let given = |call: Inst| index.and_then(|index| call.arguments().get(index).copied());
    calls.into_iter().filter_map(|call| Some((call, given(call)?.strip_casts()))).collect()
}

/// A function that does such a call with what it is given.
fn place(module: Module, call: Inst) -> Function {
    let mut parameters = vec![module.pointer_type()];
    parameters.extend(call.arguments().iter().map(|argument| argument.ty()));
    let place = module.add_function("omptarget_call_of_many", &parameters);
    ["noinline", "nounwind", "convergent"].into_iter().for_each(|name| place.add_attribute(name));
    let given = place.parameters();
    let body = Builder::at_end_of(place.append_block("entry"));
    body.call_pointer(call.called_type(), given[0], &given[1..]).add_attribute("convergent");
    body.return_void();
    place
}

/// Makes functions that call a parameter part of callers that know, or are given, what it is.
fn join_callers(mut work: Vec<(Function, Value)>) {
    let mut seen = HashSet::new();
    while let Some((function, parameter)) = work.pop() {
        if !parameter.is_argument() || !seen.insert(parameter) {
            continue;
        }
        for (call, argument) in given_for(function, parameter) {
            if argument.is_argument() && call.function() != function && are_many(call.function(), argument) {
                work.push((call.function(), argument));
            } else if argument.as_function().is_none() {
                continue;
            }
            call.inline();
        }
    }
}
