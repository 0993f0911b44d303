//! Parameters that get several addresses in one variable.
//!
//! Of a read that accesses several places in a variable, since its function is called with several addresses there, LLVM's attributor
//! takes the first place for all of them: after `f(&s.a)` and `f(&s.b)` both calls read `s.a`. Where a function calls itself with an address
//! further on, it finds place after place without end (`docs/upstream.md`). So while LLVM's passes run such an address goes through a function
//! that they know nothing of, as long as the call is not part of its caller.

use super::{choices, recurrences};
use crate::analysis::runtime::{is_inside_runtime, is_openmp};
use crate::ir::{Builder, Function, Inst, Module, Value};
use std::collections::{HashMap, HashSet};

/// A variable, parameter or other object, and how many bytes behind its start an address is, if that is known.
type Place = (Value, Option<i64>);

/// How often places are handed on to the parameters of callees, and how many a parameter has at most: more change nothing.
const ROUNDS: usize = 8;
const PLACES: usize = 32;

/// What such an address goes through.
const SAME: &str = "omptarget_address";

/// An address that a call gives.
struct Given {
    call: Inst,
    index: u32,
    parameter: Value,
    places: Vec<Place>,
}

/// Lets the addresses that make a parameter one of several places go through that function; whether there were any.
pub fn begin(module: Module) -> bool {
    let given: Vec<Given> =
        module.functions().into_iter().flat_map(|callee| given_to(module, callee)).collect();
    let mut known: HashMap<Value, HashSet<Place>> = HashMap::new();
    for _ in 0..ROUNDS {
        for one in &given {
            let places = reached(one, &known);
            let of_parameter = known.entry(one.parameter).or_default();
            if of_parameter.len() < PLACES {
                of_parameter.extend(places);
            }
        }
    }
    let mut first: HashMap<(Value, Value), Option<i64>> = HashMap::new();
    let mut changed = false;
    for one in &given {
        let differs = reached(one, &known).into_iter().fold(false, |differs, (object, offset)| {
            differs | (*first.entry((one.parameter, object)).or_insert(offset) != offset)
        });
        if differs {
            let address = one.call.arguments()[one.index as usize];
            one.call.set_operand(one.index, hide(module, &Builder::before(one.call), address));
            changed = true;
        }
    }
    changed
}

/// The address, through the function.
pub fn hide(module: Module, builder: &Builder, address: Value) -> Value {
    let pointer = module.pointer_type();
    let hidden = through(module, SAME, builder, builder.cast_address(address, pointer));
    builder.cast_address(hidden, address.ty())
}

/// A value, through a function of that name, of which LLVM knows only that it accesses no memory.
pub fn through(module: Module, name: &str, builder: &Builder, value: Value) -> Value {
    let attributes = ["nounwind", "willreturn", "nofree", "nosync", "memory"];
    let same = module.function_or_declare(name, value.ty(), &[value.ty()], &attributes);
    same.set_string_attribute("llvm.assume", "omp_no_openmp,ompx_spmd_amenable");
    builder.call(same, &[value], "").value()
}

/// What goes through the function, if an address does.
pub fn hidden(address: Value) -> Option<Value> {
    let call = address.as_inst().filter(|inst| inst.is_call() && inst.callee_name() == SAME)?;
    Some(call.arguments()[0])
}

/// Takes the function away where the call that gets the address has become part of a function, and no choice or loop needs it any more;
/// whether anything changed.
pub fn between(function: Function) -> bool {
    let (mut needed, changed) = choices::run(function);
    let mut hidden: Vec<Inst> =
        function.instructions().filter(|inst| hidden(inst.value()).is_some()).collect();
    if hidden.is_empty() {
        return changed;
    }
    needed.extend(recurrences::needed(function));
    let is_given =
        |user: &Inst| user.is_call() && user.callee().is_some_and(|callee| !callee.is_declaration());
    let is_done =
        |inst: &Inst| !needed.contains(inst) && !inst.value().using_instructions().iter().all(is_given);
    hidden.retain(is_done);
    hidden.into_iter().fold(changed, |_, inst| take_away(inst))
}

/// Takes it away everywhere; whether it was there.
pub fn end(module: Module) -> bool {
    let Some(same) = module.function(SAME) else { return false };
    for inst in same.value().using_instructions() {
        take_away(inst);
    }
    same.erase();
    true
}

/// Puts what goes through such a function in the place of what comes of it.
pub fn take_away(inst: Inst) -> bool {
    inst.value().replace_all_uses(inst.arguments()[0]);
    inst.erase();
    true
}

/// The addresses that calls of a program's function give it.
fn given_to(module: Module, callee: Function) -> Vec<Given> {
    if !is_of_program(callee) {
        return Vec::new();
    }
    let parameters = callee.parameters();
    let calls = callee.value().using_instructions().into_iter();
    let calls = calls.filter(|call| call.is_call() && call.callee() == Some(callee));
    calls
        .flat_map(|call| {
            let arguments = call.arguments().into_iter().zip(parameters.clone()).enumerate();
            arguments.filter(|(_, (argument, _))| argument.ty().is_pointer()).map(
                move |(index, (argument, parameter))| Given {
                    call,
                    index: index as u32,
                    parameter,
                    places: places(module, argument),
                },
            )
        })
        .collect()
}

/// Whether a function is one of the program, and not the runtime's.
pub fn is_of_program(function: Function) -> bool {
    !function.is_declaration() && !is_name_of_runtime(&function.name())
}

/// Whether functions of such a name are the device runtime's.
pub fn is_name_of_runtime(name: &str) -> bool {
    is_openmp(name) || name.starts_with("_R")
}

/// Where an address may be, as its function shows.
fn places(module: Module, address: Value) -> Vec<Place> {
    let (mut found, mut seen, mut work) = (Vec::new(), HashSet::new(), vec![address]);
    while let Some(address) = work.pop() {
        if !seen.insert(address) {
            continue;
        }
        let (base, offset) = address.base_and_offset(module);
        match base.as_inst().filter(|inst| choices::is_choice(*inst)) {
            Some(choice) => work.extend(choices::addresses(choice).map(|index| choice.operand(index))),
            None => {
                let object = base.underlying_object();
                found.push((object, (object == base).then_some(offset)));
            }
        }
    }
    found.retain(|(object, _)| is_object_of_program(*object));
    found
}

/// Whether an object is one of the program. Of the runtime's own variables what is known is to fold, and it hands on no addresses in them.
pub fn is_object_of_program(object: Value) -> bool {
    !object.is_constant() || object.as_global().is_some_and(|_| !is_inside_runtime(&object.name()))
}

/// Where an address may be, with what is known of the parameters of its function.
fn reached(given: &Given, known: &HashMap<Value, HashSet<Place>>) -> HashSet<Place> {
    let mut all: HashSet<Place> = given.places.iter().copied().collect();
    for (object, offset) in &given.places {
        for (outer, behind) in known.get(object).into_iter().flatten() {
            all.insert((*outer, behind.zip(*offset).map(|(behind, offset)| behind + offset)));
        }
    }
    all
}
