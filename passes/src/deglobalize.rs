//! Variables of serial code that the compiler put where all threads can reach them (`__kmpc_alloc_shared`), because their
//! address leaves the function: back to the stack, if no other thread uses them (OMP110), or to static shared memory
//! (OMP111). What stays is told, and why, if that is a call (OMP112, OMP113).

use crate::Settings;
use crate::analysis::callers::{Callers, level};
use crate::analysis::capture::{Seen, seen};
use crate::analysis::kernel::Kernel;
use crate::analysis::reach::Reaches;
use crate::analysis::runtime::known;
use crate::ir::{Builder, Function, Global, Inst, Module, Value};
use crate::remark::{Remark, Remarks};
use crate::spmdize::clean_name;
use abi::mode::ExecMode;
use std::collections::HashSet;

/// Static shared memory that a launch can have on every GPU. A kernel may take it for its variables and those of what it calls in this module and
/// of its regions, but for what the constants below leave to others. What does not fit comes from the device's heap, which is slow, and small: 8 MiB
/// for all teams, unless `LIBOMPTARGET_HEAP_SIZE` says more.
const LAUNCH_BYTES: u64 = 48 << 10;
/// For the runtime's state (1372 bytes at most), and values that thread 0 hands to others.
const STATE_BYTES: u64 = 1920;
/// For all slots of reductions (8 KiB), in kernels that have any, and for functions of other modules, in kernels that call some.
const OTHER_BYTES: u64 = 8 << 10;
/// The same for the variables of a function that kernels call.
const FUNCTION_BYTES: u64 = 2 << 10;
/// What `__kmpc_alloc_shared` aligns to.
pub const ALIGNMENT: u32 = 16;

/// Does so in one function, whose code outside of parallel regions one thread executes. `recursive`: it may be called
/// again before it returns, and each call needs variables of its own.
pub fn run(
    module: Module,
    function: Function,
    recursive: bool,
    settings: &Settings,
    reaches: &mut Reaches,
    remarks: &mut Remarks,
) {
    if settings.disable_deglobalization {
        return;
    }
    let is_kernel = function.instructions().any(|inst| inst.callee_name() == "__kmpc_target_init");
    let most = if is_kernel {
        let run = reaches.run_by(function);
        let others = run.iter().any(|function| reaches.function(*function).unknown || reduces(*function));
        let wanted: u64 =
            run.iter().filter(|other| **other != function).map(|other| wanted_bytes(*other)).sum();
        let taken = STATE_BYTES + shared_bytes(module, &run) + wanted + if others { OTHER_BYTES } else { 0 };
        LAUNCH_BYTES.saturating_sub(taken)
    } else {
        FUNCTION_BYTES
    };
    let most = most.min(u64::from(settings.shared_limit));
    move_variables(module, function, (!recursive).then_some(most), reaches, remarks);
}

/// Does so in all functions that were not converted. Static shared memory is only for those that nobody but the main
/// thread of a team runs: others need a variable for each thread.
pub fn run_on_rest(
    module: Module,
    converted: &HashSet<Function>,
    settings: &Settings,
    remarks: &mut Remarks,
) {
    if settings.disable_deglobalization {
        return;
    }
    let mut functions = module.functions();
    functions.retain(|function| {
        let is_program = !function.is_declaration() && known(*function).is_none();
        is_program && !converted.contains(function) && !allocations(*function).is_empty()
    });
    if functions.is_empty() {
        return;
    }
    let mut reaches = Reaches::of(module, settings.whole_program);
    let callers = Callers::of(module, settings.whole_program);
    for function in functions {
        if is_of_main_thread(function, &callers) {
            let recursive = reaches.called_from(function).contains(&function);
            run(module, function, recursive, settings, &mut reaches, remarks);
        } else {
            move_variables(module, function, None, &mut reaches, remarks);
        }
    }
}

/// The functions of the runtime that allocate memory that all threads of a team reach, and free it.
pub fn functions(module: Module) -> [Function; 2] {
    let [pointer, size] = [module.pointer_type(), module.int_type(64)];
    let declare = |name, returns, parameters: &[_]| {
        module.function_or_declare(name, returns, parameters, &["nounwind"])
    };
    [
        declare("__kmpc_alloc_shared", pointer, &[size]),
        declare("__kmpc_free_shared", module.void_type(), &[pointer, size]),
    ]
}

/// Whether only the main threads of generic kernels run a function.
fn is_of_main_thread(function: Function, callers: &Callers) -> bool {
    let generic = |kernel: &Kernel| kernel.mode() == ExecMode::GENERIC && kernel.user_code().is_some();
    callers.origin(function).levels == level::SERIAL
        && callers.kernels_of(function).is_some_and(|kernels| kernels.iter().all(generic))
}

/// Bytes that the variables of a function may come to take, whose turn is later.
fn wanted_bytes(function: Function) -> u64 {
    let sizes = allocations(function).into_iter().filter_map(|call| call.operand(0).as_constant_int());
    sizes.map(padded).sum::<u64>().min(FUNCTION_BYTES)
}

/// Bytes of the variables in shared memory that these functions name.
fn shared_bytes(module: Module, functions: &HashSet<Function>) -> u64 {
    let is_named = |global: &Global| {
        let mut work = vec![global.value()];
        while let Some(value) = work.pop() {
            for user in value.users() {
                match user.as_inst() {
                    Some(inst) if functions.contains(&inst.function()) => return true,
                    None if user.is_constant_expression() => work.push(user),
                    _ => {}
                }
            }
        }
        false
    };
    let shared = module.globals().into_iter().filter(|global| global.is_shared());
    shared.filter(is_named).map(|global| padded(module.size_of(global.content_type()))).sum()
}

/// The bytes that a variable may take among others.
fn padded(bytes: u64) -> u64 {
    bytes.next_multiple_of(u64::from(ALIGNMENT))
}

/// Whether a function reduces values of threads, for which there are slots in shared memory.
fn reduces(function: Function) -> bool {
    function.instructions().any(|inst| inst.is_call() && inst.callee_name().contains("_reduce_"))
}

/// The calls that allocate such variables.
pub fn allocations(function: Function) -> Vec<Inst> {
    function.instructions().filter(|inst| inst.callee_name() == "__kmpc_alloc_shared").collect()
}

/// Moves a variable to the stacks of all threads. Whether it could.
pub fn give_copies(module: Module, call: Inst, remarks: &mut Remarks) -> bool {
    let Some(variable) = Variable::of(call) else { return false };
    variable.move_to_stack(module, remarks);
    true
}

/// Moves a variable to the stack if no other thread sees it. `call` is the one that allocates it.
pub fn move_to_stack(module: Module, call: Inst, reaches: &mut Reaches, remarks: &mut Remarks) {
    if let Some(variable) = Variable::of(call)
        && seen(call.value(), reaches) == Seen::Owner
    {
        variable.move_to_stack(module, remarks);
    }
}

/// Moves the variables of a function. `most`: the bytes of static shared memory for them; none, if each call or thread
/// needs its own.
fn move_variables(
    module: Module,
    function: Function,
    most: Option<u64>,
    reaches: &mut Reaches,
    remarks: &mut Remarks,
) {
    let mut left = most;
    for call in allocations(function) {
        let Some(variable) = Variable::of(call) else {
            remarks.give(Remark::Globalized, call);
            continue;
        };
        let seen = seen(call.value(), reaches);
        if let Seen::ByCall(by) = seen {
            remarks.give(Remark::CapturedInCall, by);
        }
        if seen == Seen::Owner {
            variable.move_to_stack(module, remarks);
        } else if let Some(rest) = left.and_then(|left| left.checked_sub(padded(variable.size))) {
            left = Some(rest);
            variable.move_to_shared_memory(module, remarks);
        } else {
            remarks.give(Remark::Globalized, call);
        }
    }
}

/// A variable that the runtime allocates.
struct Variable {
    call: Inst,
    /// In bytes.
    size: u64,
    frees: Vec<Inst>,
}

impl Variable {
    /// The one that `call` allocates, if it can be elsewhere.
    fn of(call: Inst) -> Option<Self> {
        let mut frees = call.using_instructions();
        frees.retain(|user| user.callee_name() == "__kmpc_free_shared");
        let size = call.operand(0).as_constant_int()?;
        (!frees.is_empty()).then_some(Self { call, size, frees })
    }

    fn move_to_stack(self, module: Module, remarks: &mut Remarks) {
        remarks.give(Remark::MovedToStack, self.call);
        let first = self.call.function().entry().first_non_phi();
        let alloca = Builder::before(first).alloca(module.bytes_type(self.size), "");
        alloca.set_alignment(ALIGNMENT);
        let name = self.call.name();
        self.replace(alloca.value());
        alloca.set_name(&name);
    }

    fn move_to_shared_memory(self, module: Module, remarks: &mut Remarks) {
        remarks.give(Remark::MovedToSharedMemory(self.size), self.call);
        let name = format!("{}_shared", clean_name(&self.call.name()));
        let global = module.add_shared_variable(module.bytes_type(self.size), &name);
        module.set_alignment(global, ALIGNMENT);
        self.replace(module.generic_address(global));
    }

    /// Takes another address for it.
    fn replace(self, by: Value) {
        self.frees.into_iter().for_each(Inst::erase);
        self.call.replace_all_uses(by);
        self.call.erase();
    }
}
