//! Variables of serial code that the compiler put where all threads can reach them (`__kmpc_alloc_shared`), because their
//! address leaves the function: back to the stack, if no other thread uses them (OMP110), or to static shared memory
//! (OMP111).

use crate::Settings;
use crate::analysis::runtime::{Known, known};
use crate::ir::{Builder, Function, Inst, Module, Opcode};
use crate::remark::{Remark, Remarks};
use crate::spmdize::clean_name;

/// Static shared memory that the variables of one kernel may take: a team of 1024 threads should still fit twice on a
/// multiprocessor of 100 KiB, beside the runtime's.
const KERNEL_BYTES: u64 = 16 << 10;
/// The same for a function that kernels call.
const FUNCTION_BYTES: u64 = 2 << 10;
/// What `__kmpc_alloc_shared` aligns to.
const ALIGNMENT: u32 = 16;

/// Does so in one function, whose code outside of parallel regions one thread executes. `recursive`: it may be called
/// again before it returns, and each call needs variables of its own.
pub fn run(module: Module, function: Function, recursive: bool, settings: &Settings, remarks: &mut Remarks) {
    if settings.disable_deglobalization {
        return;
    }
    let is_kernel = function.instructions().any(|inst| inst.callee_name() == "__kmpc_target_init");
    let mut left =
        u64::from(settings.shared_limit).min(if is_kernel { KERNEL_BYTES } else { FUNCTION_BYTES });
    let calls: Vec<Inst> =
        function.instructions().filter(|inst| inst.callee_name() == "__kmpc_alloc_shared").collect();
    for call in calls {
        let size = call.operand(0).as_constant_int();
        let frees: Vec<Inst> = call
            .using_instructions()
            .into_iter()
            .filter(|user| user.callee_name() == "__kmpc_free_shared")
            .collect();
        let Some(size) = size.filter(|_| !frees.is_empty()) else {
            remarks.give(Remark::Globalized, call);
            continue;
        };
        let replacement = if is_private(call) {
            remarks.give(Remark::MovedToStack, call);
            let first = function.entry().first_non_phi();
            let alloca = Builder::before(first).alloca(module.bytes_type(size), &call.name());
            alloca.set_alignment(ALIGNMENT);
            alloca.value()
        } else if !recursive && size <= left {
            left -= size;
            remarks.give(Remark::MovedToSharedMemory(size), call);
            let name = format!("{}_shared", clean_name(&call.name()));
            let global = module.add_shared_variable(module.bytes_type(size), &name);
            module.set_alignment(global, ALIGNMENT);
            module.generic_address(global)
        } else {
            remarks.give(Remark::Globalized, call);
            continue;
        };
        frees.into_iter().for_each(Inst::erase);
        call.replace_all_uses(replacement);
        call.erase();
    }
}

/// Whether only the thread that allocates a variable uses it: its address is not stored and goes to no parallel region.
fn is_private(call: Inst) -> bool {
    let mut work = vec![call.value()];
    while let Some(pointer) = work.pop() {
        for user in pointer.using_instructions() {
            let harmless = match user.opcode() {
                Opcode::LLVMLoad | Opcode::LLVMICmp => true,
                Opcode::LLVMStore => user.operand(0) != pointer,
                Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg => {
                    user.operands().iter().skip(1).all(|operand| *operand != pointer)
                }
                Opcode::LLVMGetElementPtr | Opcode::LLVMAddrSpaceCast | Opcode::LLVMBitCast => {
                    work.push(user.value());
                    true
                }
                Opcode::LLVMCall => {
                    let name = user.callee_name();
                    name == "__kmpc_free_shared"
                        || name.starts_with("llvm.mem")
                        || name.starts_with("llvm.lifetime.")
                        || known(&name) == Some(Known::Leaf) && user.keeps_no_argument(pointer)
                }
                _ => false,
            };
            if !harmless {
                return false;
            }
        }
    }
    true
}
