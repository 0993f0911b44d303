//! Arrays of constants that a thread copies to its stack.
//!
//! InstCombine reads a constant where it stands, if nobody changes the copy. That must come before openmp-opt takes the
//! loads for loads of the stack. It looks at copies on the stack, so those that the compiler put into the runtime's memory,
//! because a function gets their address, go to the stack first, as openmp-opt would do it. What only the runtime reads
//! (the traits of an allocator) is left alone: it is not inlined into these loads.

use crate::analysis::capture::is_own_variable;
use crate::analysis::reach::Reaches;
use crate::analysis::runtime::known_call;
use crate::deglobalize;
use crate::ir::{Error, Inst, Module, Opcode, Value};
use crate::remark::Remarks;
use crate::{FIRST, Settings};

/// The passes that read constants in place.
const IN_PLACE: &str = "cgscc(function-attrs),function(instcombine<no-verify-fixpoint>)";

/// Runs them if there is something to do; whether there was.
pub fn run(module: Module, settings: &Settings, remarks: &mut Remarks) -> Result<bool, Error> {
    if copies(module).is_empty() {
        return Ok(false);
    }
    module.run_passes(FIRST)?;
    if !settings.disable_deglobalization {
        let mut reaches = Reaches::of(module, settings.whole_program);
        for variable in copies(module).into_iter().filter(is_allocated) {
            deglobalize::move_to_stack(module, variable, &mut reaches, remarks);
        }
    }
    module.run_passes(IN_PLACE)?;
    Ok(true)
}

/// The variables of threads that are copied from constants.
fn copies(module: Module) -> Vec<Inst> {
    let instructions = module.functions().into_iter().flat_map(|function| function.instructions());
    let mut all: Vec<Inst> =
        instructions.filter_map(copied_to).filter(|variable| is_read(variable.value())).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The variable that this makes a copy of a constant.
fn copied_to(inst: Inst) -> Option<Inst> {
    let is_copy =
        inst.callee_name().starts_with("llvm.memcpy.") && inst.operand(1).underlying_object().is_constant();
    let to = is_copy.then(|| inst.operand(0)).filter(|to| is_own_variable(*to))?;
    to.underlying_object().as_inst()
}

/// Whether the program reads what an address leads to, or may do so.
fn is_read(address: Value) -> bool {
    address.using_instructions().into_iter().any(|user| match user.opcode() {
        Opcode::LLVMGetElementPtr | Opcode::LLVMAddrSpaceCast | Opcode::LLVMBitCast => is_read(user.value()),
        Opcode::LLVMStore => user.operand(0) == address,
        Opcode::LLVMCall => {
            let name = user.callee_name();
            let fills = name.starts_with("llvm.mem") && user.operand(1) != address;
            !fills && !name.starts_with("llvm.lifetime.") && known_call(user).is_none()
        }
        _ => true,
    })
}

fn is_allocated(object: &Inst) -> bool {
    object.callee_name() == "__kmpc_alloc_shared"
}
