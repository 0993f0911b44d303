//! Code that is right, and that LLVM 22 makes wrong or cannot compile: written so that it does not (`docs/upstream.md`); and what
//! saves the runtime a way round LLVM.
//!
//! LLVM's openmp-opt writes down that a load is from the memory of one thread, the stack, where it sees that its address is. When a
//! later pass puts something else in the place of that address, it forgets what was written down, and the load reads
//! the stack all the same. So the other address has to be there before, or never.

pub mod addresses;
mod argument_memory;
mod array_pointers;
mod bounds;
mod buffers;
mod by_value;
mod captured;
pub mod choices;
mod constants;
mod constructors;
mod declare_target;
mod descriptors;
mod fences;
mod fixpoint;
mod formats;
pub mod freed;
mod host_constants;
mod left_on_stack;
mod loop_bodies;
mod math;
mod nested;
mod pieces;
pub mod recurrences;
mod recursion;
mod regions;
mod sections;
mod tail_calls;
mod team_sums;
mod wide_integers;

use crate::alignment;
use crate::ir::{self, Function, Module};
use crate::no_loop;
use crate::own_atomics;
use crate::remark::Remarks;
use crate::{Error, Settings};

/// What must be right before any other pass looks at a module of device code; whether the module was changed. What is `linked` was
/// a module before.
///
/// # Errors
/// Something cannot be put right without what the compiler was not told to keep.
pub fn start(module: Module, linked: bool) -> Result<bool, Error> {
    if !module.is_device_code() {
        return Ok(false);
    }
    let of_flang = is_of_flang(module)
        && module.take_structures_in_memory() | regions::start(module) | descriptors::run(module);
    let of_clang = !linked && !is_fortran(module);
    Ok(of_flang
        | (of_clang && array_pointers::run(module)? | left_on_stack::run(module))
        | module.expand_gotos()
        | captured::run(module)
        | constructors::run(module)
        | fences::run(module)
        | host_constants::run(module)
        | team_sums::run(module)
        | sections::run(module)
        | pieces::run(module)
        | buffers::run(module))
}

/// What must be right in code of hosts as well as of devices; whether the module was changed.
pub fn everywhere(module: Module) -> bool {
    is_fortran(module) && declare_target::run(module)
}

/// Whether flang has made a module, which is one file then.
fn is_fortran(module: Module) -> bool {
    module.source() == "FIRModule"
}

/// The same, of device code.
fn is_of_flang(module: Module) -> bool {
    is_fortran(module) && module.is_device_code()
}

/// Moves variables that parallel regions reach to where all threads reach them; whether there were any. flang leaves all of them on the
/// stack, and clang, in what it writes for debuggers, those that `teams` reduces. What is `linked` was a module before;
/// `as_written`: no pass of LLVM has run.
pub fn share_variables(module: Module, linked: bool, as_written: bool) -> bool {
    let for_debuggers = || !linked && module.is_device_code() && module.flag("Debug Info Version").is_some();
    let of_flang = is_of_flang(module);
    (of_flang || for_debuggers()) && regions::share_variables(module, of_flang, as_written)
}

/// Puts right, for the files that a device link joins, what LLVM concluded from each of them alone; whether there was anything.
pub fn join(module: Module) -> bool {
    module.is_device_code() && nested::expect(module)
}

/// Gives the blocks of generic kernels room for workers, where that is not done before; whether there were any. What is `linked` was a module
/// before.
pub fn make_room(module: Module, linked: bool) -> bool {
    !linked && module.is_device_code() && !is_fortran(module) && bounds::run(module)
}

/// Repairs a module of device code, before LLVM's own passes; whether it was changed.
///
/// # Errors
/// A stock pass that is needed is not there.
pub fn run(module: Module, settings: &Settings, remarks: &mut Remarks) -> Result<bool, ir::Error> {
    if !module.is_device_code() {
        return Ok(false);
    }
    fixpoint::run();
    let constants = constants::run(module, settings, remarks)?;
    let by_value = by_value::run(module);
    let loops = loop_bodies::run(module, settings.whole_program);
    let recursion = recursion::run(module, settings.whole_program);
    // The device runtime has no lines. LLVM's inliner puts a program's function, that the runtime calls back, into the runtime's with
    // the lines of the program; where that one is inlined into the program again, LLVM calls the module broken.
    let lines = settings.linked && module.complete_lines();
    let formats = formats::run(module);
    // A thread has no vectors. For `simd` LLVM takes them all the same, an index for each element, or warns at each loop that it cannot.
    let vectors = module.drop_vector_hints();
    let tail_calls = tail_calls::run(module);
    let argument_memory = argument_memory::run(module);
    let wide_integers = wide_integers::run(module);
    Ok(math::run(module)
        || wide_integers
        || vectors
        || by_value
        || constants
        || loops
        || recursion
        || lines
        || formats
        || tail_calls
        || argument_memory)
}

/// Repairs a function between LLVM's runs of openmp-opt, of which some are to come; whether it was changed.
pub fn between_runs(function: Function) -> bool {
    // openmp-opt calls directly what was called through a pointer, and forgets the line where arguments are missing.
    function.module().is_device_code()
        && argument_memory::forget(function)
            | freed::between(function)
            | addresses::between(function)
            | recurrences::between(function)
            | function.complete_calls()
}

/// Repairs a module of device code that is compiled without optimisation: what LLVM cannot compile at all, and flang's regions. What
/// LLVM's passes make wrong stays as it is. Whether the module was changed.
///
/// # Errors
/// As [`start`].
pub fn run_unoptimized(module: Module) -> Result<bool, Error> {
    let everywhere = everywhere(module);
    let of_device = module.is_device_code()
        && (start(module, false)?
            | math::run(module)
            | wide_integers::run(module)
            | formats::run(module)
            | own_atomics::run(module)
            | alignment::run(module)
            | share_variables(module, false, true)
            | make_room(module, false)
            | module.integers_for_halves()
            | module.break_rings()
            | no_loop::share_last(module));
    Ok(everywhere || of_device)
}
