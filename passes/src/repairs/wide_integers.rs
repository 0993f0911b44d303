//! Conversions between floating-point numbers and integers of 128 bits, which LLVM 22 cannot compile for NVIDIA's GPUs ("unsupported
//! library call operation"): they become calls of the functions that it calls on a CPU, which `libompdevice.a` has.

use crate::ir::{Builder, Inst, Module, Opcode};

/// Bits of the integers.
const BITS: u32 = 128;

/// Replaces such conversions; whether there were any.
pub fn run(module: Module) -> bool {
    let instructions = module.functions().into_iter().flat_map(|function| function.instructions());
    let found: Vec<(Inst, Conversion)> =
        instructions.filter_map(|inst| Some((inst, Conversion::of(inst)?))).collect();
    for (inst, conversion) in &found {
        conversion.replace(module, *inst);
    }
    !found.is_empty()
}

/// What an instruction converts.
struct Conversion {
    signed: bool,
    to_integer: bool,
}

impl Conversion {
    fn of(inst: Inst) -> Option<Self> {
        let (signed, to_integer) = match inst.opcode() {
            Opcode::LLVMFPToSI => (true, true),
            Opcode::LLVMFPToUI => (false, true),
            Opcode::LLVMSIToFP => (true, false),
            Opcode::LLVMUIToFP => (false, false),
            _ => return None,
        };
        let integer = if to_integer { inst.value() } else { inst.operand(0) };
        (integer.ty().int_width() == Some(BITS)).then_some(Self { signed, to_integer })
    }

    /// A number of fewer bits than a `float` is one on the way.
    fn replace(&self, module: Module, inst: Inst) {
        let (given, wanted) = (inst.operand(0), inst.value().ty());
        let [float, double] = [32, 64].map(|bits| module.float_type(bits));
        let is_double = [given.ty(), wanted].contains(&double);
        let (via, letter) = if is_double { (double, 'd') } else { (float, 's') };
        let integer = module.int_type(BITS);
        let (name, from, to) = if self.to_integer {
            (format!("__fix{}{letter}fti", if self.signed { "" } else { "uns" }), via, integer)
        } else {
            (format!("__float{}ti{letter}f", if self.signed { "" } else { "un" }), integer, via)
        };
        let attributes = ["nounwind", "willreturn", "nofree", "nosync", "memory"];
        let function = module.function_or_declare(&name, to, &[from], &attributes);
        let builder = Builder::before(inst);
        let given = if self.to_integer { builder.resize_float(given, via) } else { given };
        let result = builder.call(function, &[given], "").value();
        let result = if self.to_integer { result } else { builder.resize_float(result, wanted) };
        inst.value().replace_all_uses(result);
        inst.erase();
    }
}
