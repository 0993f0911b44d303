//! Variables of serial code that parallel regions reach: from the stack to memory that all threads reach.

use super::{Serial, called, roots, wrapper};
use crate::analysis::control::Cfg;
use crate::analysis::kernel::Kernel;
use crate::analysis::points_to::PointsTo;
use crate::analysis::runtime::{calls_back, parallel_operand, region_code};
use crate::deglobalize::{self, ALIGNMENT};
use crate::ir::{Block, Builder, Function, Inst, Module, Opcode, Value};
use std::collections::{HashMap, HashSet};

type Kernels = HashMap<Function, Kernel>;

/// Moves them, and gives the regions wrappers; whether there was something to do. `escaping`: also variables whose addresses code gets
/// that is not known. `as_written`: LLVM has changed nothing yet.
pub fn run(module: Module, escaping: bool, as_written: bool) -> bool {
    let kernels: Kernels = Kernel::all(module).into_iter().map(|kernel| (kernel.function, kernel)).collect();
    let roots = roots(module);
    let serial: Vec<Serial> = roots.iter().map(|root| Serial::code_of([*root])).collect();
    let lacks_wrapper = |region: &Inst| {
        let given = region.operand(parallel_operand::WRAPPER);
        given == module.pointer_type().null() && region_code(*region).is_some()
    };
    let mut regions: HashSet<Inst> = serial.iter().flat_map(|code| &code.regions).copied().collect();
    regions.retain(lacks_wrapper);
    for hidden in serial.iter().flat_map(regions_of_hidden_loops) {
        regions.remove(&hidden);
    }
    serial.iter().for_each(keep_arguments);
    let points = if as_written { PointsTo::as_written(module) } else { PointsTo::of(module) };
    let mut shared = HashSet::new();
    let mut doubts: HashMap<Inst, Vec<Doubt>> = HashMap::new();
    for (root, code) in roots.iter().zip(&serial) {
        let of_stack = |variable: &Inst| {
            variable.opcode() == Opcode::LLVMAlloca && code.functions.contains(&variable.function())
        };
        let can_move = |variable: &Inst| Place::of(*variable, kernels.get(&variable.function())).is_some();
        let is_kernel = kernels.contains_key(root);
        for region in &code.regions {
            let array = points.targets(region.operand(parallel_operand::ARGUMENTS));
            let arguments = array.iter().flat_map(|target| points.read(target.anywhere())).collect();
            let reached =
                if escaping { points.reached(&arguments) } else { points.reached_inside(&arguments) };
            let variables: Vec<Inst> = reached.into_iter().filter(of_stack).collect();
            let of_array = array.iter().filter_map(|target| target.variable);
            let holders: HashSet<Inst> = variables.iter().copied().chain(of_array).collect();
            let doubts_here = if is_kernel { Some(Vec::new()) } else { doubts_of(*region, holders, &points) };
            match doubts_here {
                Some(found) if variables.iter().all(can_move) => {
                    shared.extend(variables);
                    let known = doubts.entry(*region).or_default();
                    let new: Vec<Doubt> = found.into_iter().filter(|doubt| !known.contains(doubt)).collect();
                    known.extend(new);
                }
                _ => {
                    regions.remove(region);
                }
            }
        }
        // Code of other files may have regions, too. What functions that other files call give to third ones stays on the stack: most of
        // them run in regions, each thread for itself.
        if is_kernel && escaping {
            shared.extend(points.outside().into_iter().filter(of_stack).filter(can_move));
        }
    }
    // All in the order of the text, and found before anything is erased, whose handle another instruction may get.
    let in_order = |wanted: &HashSet<Inst>, function: Function| -> Vec<Inst> {
        function.instructions().filter(|inst| wanted.contains(inst)).collect()
    };
    let functions = module.functions().into_iter();
    let work: Vec<_> = functions
        .map(|function| (function, in_order(&regions, function), in_order(&shared, function)))
        .collect();
    for (function, regions, variables) in work {
        for region in regions {
            wrapper::give(module, region, doubts.get(&region).map_or(&[], Vec::as_slice));
        }
        move_variables(module, function, variables);
    }
    !regions.is_empty() || !shared.is_empty()
}

/// A place in a variable where an address may be that other files give: perhaps of a variable on the main thread's stack.
pub type Doubt = (Inst, i64);

/// The doubts about the variables that lead to all that a region gets, which its function can look at. None if there are others.
fn doubts_of(region: Inst, holders: HashSet<Inst>, points: &PointsTo) -> Option<Vec<Doubt>> {
    let in_reach = |holder: &&Inst| holder.function() == region.function();
    let elsewhere = holders.iter().filter(|holder| !in_reach(holder));
    if elsewhere.into_iter().any(|holder| !points.unknown_addresses(*holder).is_empty()) {
        return None;
    }
    let here = region.function().instructions().filter(|inst| holders.contains(inst));
    let places = here.flat_map(|holder| {
        points.unknown_addresses(holder).into_iter().map(move |place| Some((holder, place?)))
    });
    places.collect()
}

/// The regions in the bodies of loops that the runtime runs: LLVM's openmp-opt does not find them there, and may take away the loop in
/// which workers would wait for them.
fn regions_of_hidden_loops(code: &Serial) -> Vec<Inst> {
    let calls = code.functions.iter().flat_map(|function| function.instructions());
    let loops = calls.filter(|inst| inst.is_call() && calls_back(&inst.callee_name()));
    loops.filter_map(called).flat_map(|body| Serial::code_of([body]).regions).collect()
}

/// The functions that start regions hand their arguments on to other threads, whatever flang says of them: LLVM would move the
/// variables back to the stack.
fn keep_arguments(code: &Serial) {
    for call in code.functions.iter().flat_map(|function| function.instructions()) {
        let function = call.is_call().then(|| called(call)).flatten();
        if let Some(function) = function.filter(|function| Serial::code_of([*function]).has_regions()) {
            function.may_keep_arguments();
            call.may_keep_arguments();
        }
    }
    for call in &code.unknown {
        call.callee().into_iter().for_each(Function::may_keep_arguments);
        call.may_keep_arguments();
    }
}

/// Where a variable can be allocated.
enum Place {
    /// Where it is made.
    Here,
    /// The same, for one of variable length; and before these calls its scope ends.
    Scope(Vec<Inst>),
    /// At the start of the serial code of a kernel, before which these instructions stand that all threads run, but could
    /// be there, too.
    SerialCode(Block, Vec<Inst>),
}

impl Place {
    /// That of a variable which is made once for each call of its function, or is of variable length. None if there is none.
    fn of(variable: Inst, kernel: Option<&Kernel>) -> Option<Self> {
        if variable.alignment() > ALIGNMENT {
            return None;
        }
        let is_variable = variable.operand(0).as_constant_int().is_none();
        if is_variable && let Some(ends) = ends_of_scope(variable) {
            return Some(Self::Scope(ends));
        }
        let function = variable.function();
        let (block, entry) = (variable.block(), function.entry());
        let Some(kernel) = kernel else {
            return straight(function, entry).contains(&block).then_some(Self::Here);
        };
        let start = kernel.user_code()?;
        if block != entry || is_variable {
            return straight(function, start).contains(&block).then_some(Self::Here);
        }
        let mut before = entry.instructions();
        before.truncate(before.iter().position(|inst| *inst == kernel.init)?);
        before.retain(|inst| inst.opcode() != Opcode::LLVMAlloca);
        let can_move = |inst: &Inst| !kernel.init.operands().contains(&inst.value()) && !inst.is_call();
        before.iter().all(can_move).then_some(Self::SerialCode(start, before))
    }
}

/// Where memory for a variable is allocated: a call among the variables of a function's entry would end what counts as that.
fn behind_allocas(variable: Inst) -> Inst {
    let entry = variable.function().entry();
    let is_static = variable.block() == entry && variable.operand(0).is_constant();
    if is_static { entry.first_non_alloca() } else { variable }
}

/// The blocks behind `first`, itself included, that follow each other without a branch.
fn straight(function: Function, first: Block) -> Vec<Block> {
    let cfg = Cfg::of(function);
    let mut found = vec![first];
    while let [next] = found[found.len() - 1].successors()[..] {
        if cfg.predecessors(next).len() != 1 || found.contains(&next) {
            break;
        }
        found.push(next);
    }
    found
}

/// The calls that end the scope of a variable of variable length: they put the stack back to where it was before. None if there are none.
fn ends_of_scope(variable: Inst) -> Option<Vec<Inst>> {
    let function = variable.function();
    let dominators = Cfg::of(function).dominators();
    let is_behind = |first: Inst, other: Inst| dominators.dominates_instruction(first, other);
    let named = |inst: &Inst, name: &str| inst.callee_name().starts_with(name);
    let saves = function.instructions().filter(|inst| named(inst, "llvm.stacksave"));
    let before = saves.filter(|save| is_behind(*save, variable));
    let last = before.reduce(|last, save| if is_behind(last, save) { save } else { last })?;
    // clang keeps where the stack was in a variable.
    let kept = last.value().using_instructions().into_iter().filter_map(|user| user.pointer());
    let saved =
        kept.flat_map(|place| place.using_instructions()).map(|load| load.value()).chain([last.value()]);
    let users = saved.flat_map(|value| value.using_instructions());
    let ends: Vec<Inst> =
        users.filter(|user| named(user, "llvm.stackrestore") && is_behind(variable, *user)).collect();
    (!ends.is_empty()).then_some(ends)
}

/// Moves those variables of one function that can be moved; whether there were any.
pub fn move_variables(module: Module, function: Function, variables: Vec<Inst>) -> bool {
    let kernel = Kernel::of(function);
    let places =
        variables.into_iter().filter_map(|variable| Some((variable, Place::of(variable, kernel.as_ref())?)));
    let places: Vec<(Inst, Place)> = places.collect();
    if places.is_empty() {
        return false;
    }
    // These first: one of them may be where another variable is allocated.
    let users = places.iter().flat_map(|(variable, _)| variable.value().using_instructions());
    users.filter(|user| user.callee_name().starts_with("llvm.lifetime.")).for_each(Inst::erase);
    let size = module.int_type(64);
    let [allocate, free] = deglobalize::functions(module);
    let is_end = |inst: &Inst| match kernel {
        Some(_) => inst.callee_name() == "__kmpc_target_deinit",
        None => inst.opcode() == Opcode::LLVMRet,
    };
    let ends_of_function: Vec<Inst> = function.instructions().filter(is_end).collect();
    let mut allocated: Vec<(Inst, Value, Vec<Inst>)> = Vec::new();
    let mut serial_code = None;
    for (variable, place) in places {
        let (position, ends) = match place {
            Place::Here => (behind_allocas(variable), ends_of_function.clone()),
            Place::Scope(ends) => (variable, ends),
            Place::SerialCode(start, before) => {
                let first = *serial_code.get_or_insert_with(|| {
                    let first = start.first_non_phi();
                    before.iter().for_each(|inst| inst.move_before(first));
                    start.first_non_phi()
                });
                (first, ends_of_function.clone())
            }
        };
        let builder = Builder::before(position);
        let element = size.constant(module.size_of(variable.allocated_type()));
        let bytes = builder.multiply(builder.resize(variable.operand(0), size, ""), element, "");
        let memory = builder.call(allocate, &[bytes], "");
        memory.promise_alignment(ALIGNMENT);
        let name = variable.value().name();
        variable.value().replace_all_uses(memory.value());
        variable.erase();
        memory.value().set_name(&name);
        allocated.push((memory, bytes, ends));
    }
    // The last one first, as on a stack.
    for (memory, bytes, ends) in allocated.into_iter().rev() {
        for end in ends {
            Builder::before(end).call(free, &[memory.value(), bytes], "");
        }
    }
    true
}
