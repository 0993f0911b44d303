//! Mathematical functions that LLVM 22 cannot compile for NVIDIA's GPUs.
//!
//! clang's headers call the functions of libdevice. flang has no such headers: it writes LLVM's intrinsics, functions of C's library and
//! of Fortran's runtime, and so do clang's `__builtin_` functions. Here all of them become calls of libdevice, which the
//! device runtime's archive has.

use super::is_of_flang;
use crate::ir::{Builder, Function, Inst, Module, Type};

/// Intrinsics whose function of libdevice has their name.
const INTRINSICS: [&str; 18] = [
    "acos", "asin", "atan", "atan2", "cos", "cosh", "exp", "exp10", "exp2", "log", "log10", "log2", "pow",
    "powi", "sin", "sinh", "tan", "tanh",
];

/// Of those, the ones that GPUs have for 32 bits, as they are and where an approximation will do.
const IN_HARDWARE: [&str; 2] = ["exp2", "log2"];
const APPROXIMATE: [&str; 3] = ["cos", "sin", "tanh"];

/// Functions of C's library that flang calls; those for 32 bits have an `f` at the end.
const OF_FORTRAN: [&str; 14] = [
    "acosh", "asinh", "atanh", "erf", "erfc", "hypot", "j0", "j1", "jn", "lgamma", "tgamma", "y0", "y1", "yn",
];

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
            let is_called = inst.is_call() && inst.callee() == Some(function);
            if let Some(call) = is_called.then(|| becomes(&name, inst, is_fortran)).flatten() {
                replace(module, inst, &call);
                changed = true;
            }
        }
    }
    changed
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
            _ if floats && IN_HARDWARE.contains(&operation) => None,
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
