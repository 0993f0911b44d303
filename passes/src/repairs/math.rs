//! Mathematical functions that LLVM 22 cannot compile for NVIDIA's GPUs.
//!
//! clang's headers call the functions of libdevice. flang has no such headers: it writes LLVM's intrinsics, functions of C's library and
//! of Fortran's runtime, and so do clang's `__builtin_` functions. Here all of them become calls of libdevice, which the
//! device runtime's archive has.

use super::is_of_flang;
use crate::ir::{Builder, Function, Inst, Module, Type, Value};

/// Intrinsics whose function of libdevice has their name.
const INTRINSICS: [&str; 18] = [
    "acos", "asin", "atan", "atan2", "cos", "cosh", "exp", "exp10", "exp2", "log", "log10", "log2", "pow",
    "powi", "sin", "sinh", "tan", "tanh",
];

/// Of those, the ones that LLVM has an instruction for, of 32 bits: as it is and where an approximation will do.
const IN_HARDWARE: &str = "exp2";
const APPROXIMATE: [&str; 3] = ["cos", "sin", "tanh"];

/// Functions of C's library that flang calls; those for 32 bits have an `f` at the end.
const OF_FORTRAN: [&str; 14] = [
    "acosh", "asinh", "atanh", "erf", "erfc", "hypot", "j0", "j1", "jn", "lgamma", "tgamma", "y0", "y1", "yn",
];

/// Intrinsics with two results. Of libdevice's functions of these names the first gives its first result back, and the second
/// has a pointer for it as well.
const PAIRS: [&str; 2] = ["modf", "sincos"];

/// What a call becomes.
struct Call {
    /// The function of libdevice.
    function: String,
    /// How many of the arguments it takes.
    arguments: usize,
    /// Whether it gives 64 bits, whatever the call gives.
    is_wide: bool,
    /// Whether it reads memory.
    reads: bool,
}

/// Lets calls of such functions be calls of libdevice; whether there were any.
pub fn run(module: Module) -> bool {
    let is_fortran = is_of_flang(module);
    let missing = |function: &Function| function.is_declaration();
    let mut changed = false;
    for function in module.functions().into_iter().filter(missing) {
        let name = function.name();
        for inst in function.value().using_instructions() {
            if !inst.is_call() || inst.callee() != Some(function) {
                continue;
            }
            if let Some(call) = becomes(&name, inst, is_fortran) {
                replace(module, inst, &call);
                changed = true;
            } else if let Some(name) = pair(&name) {
                changed |= replace_pair(module, inst, &name);
            }
        }
    }
    changed
}

/// The function of libdevice for an intrinsic with two results.
fn pair(name: &str) -> Option<String> {
    let (operation, kind) = name.strip_prefix("llvm.")?.split_once('.')?;
    let suffix = match kind {
        "f64" => "",
        "f32" => "f",
        _ => return None,
    };
    PAIRS.contains(&operation).then(|| format!("__nv_{operation}{suffix}"))
}

/// What a call of the function `name` becomes.
fn becomes(name: &str, inst: Inst, is_fortran: bool) -> Option<Call> {
    let call =
        |function: String| Call { function, arguments: inst.arguments().len(), is_wide: false, reads: false };
    if let Some(intrinsic) = name.strip_prefix("llvm.") {
        let mut parts = intrinsic.split('.');
        let operation = parts.next()?;
        let (floats, suffix) = match parts.find(|part| part.starts_with('f'))? {
            "f64" => (false, ""),
            "f32" => (true, "f"),
            _ => return None,
        };
        return match operation {
            "lround" | "llround" => Some(Call { is_wide: true, ..call(format!("__nv_llround{suffix}")) }),
            "lrint" | "llrint" => Some(Call { is_wide: true, ..call(format!("__nv_llrint{suffix}")) }),
            _ if floats && operation == IN_HARDWARE => None,
            _ if floats && APPROXIMATE.contains(&operation) && inst.may_approximate() => None,
            _ => INTRINSICS.contains(&operation).then(|| call(format!("__nv_{operation}{suffix}"))),
        };
    }
    match name {
        "nan" | "nanf" => Some(Call { reads: true, ..call(format!("__nv_{name}")) }),
        // Its other arguments say where it stands in the source.
        "_FortranAModReal4" => Some(Call { arguments: 2, ..call("__nv_fmodf".to_owned()) }),
        "_FortranAModReal8" => Some(Call { arguments: 2, ..call("__nv_fmod".to_owned()) }),
        _ => {
            let plain = name.strip_suffix('f').filter(|plain| OF_FORTRAN.contains(plain));
            let known = is_fortran && (plain.is_some() || OF_FORTRAN.contains(&name));
            known.then(|| call(format!("__nv_{name}")))
        }
    }
}

fn replace(module: Module, inst: Inst, call: &Call) {
    let arguments = &inst.arguments()[..call.arguments];
    let types: Vec<Type> = arguments.iter().map(|argument| argument.ty()).collect();
    let returns = if call.is_wide { module.int_type(64) } else { inst.value().ty() };
    let attributes = ["nounwind", "willreturn", "nofree", "nosync", "memory"];
    let attributes = &attributes[..if call.reads { 4 } else { 5 }];
    let function = module.function_or_declare(&call.function, returns, &types, attributes);
    let builder = Builder::before(inst);
    let result = builder.call(function, arguments, "").value();
    let result = if call.is_wide { builder.resize(result, inst.value().ty(), "") } else { result };
    inst.value().replace_all_uses(result);
    inst.erase();
}

/// Lets a call of an intrinsic with two results be one of libdevice's function, if all that is done with them is to take one; whether it
/// did.
fn replace_pair(module: Module, inst: Inst, name: &str) -> bool {
    let users = inst.value().using_instructions();
    if users.iter().any(|user| user.part_taken().is_none()) {
        return false;
    }
    let given = inst.arguments()[0];
    let (ty, pointer) = (given.ty(), module.pointer_type());
    let start = inst.function().entry().first_non_phi();
    let slot = || Builder::before(start).alloca(ty, "").value();
    let builder = Builder::before(inst);
    let attributes = ["nounwind", "willreturn", "nofree", "nosync"];
    let taken = |slot: Value| builder.load(ty, slot, "").value();
    let results = if name.starts_with("__nv_modf") {
        let function = module.function_or_declare(name, ty, &[ty, pointer], &attributes);
        let whole = slot();
        let fraction = builder.call(function, &[given, whole], "").value();
        [fraction, taken(whole)]
    } else {
        let function =
            module.function_or_declare(name, module.void_type(), &[ty, pointer, pointer], &attributes);
        let slots = [slot(), slot()];
        builder.call(function, &[given, slots[0], slots[1]], "");
        slots.map(taken)
    };
    for user in users {
        let index = user.part_taken().expect("checked");
        user.value().replace_all_uses(results[index as usize]);
        user.erase();
    }
    inst.erase();
    true
}
