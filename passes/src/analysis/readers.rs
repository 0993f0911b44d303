//! Variables that parallel regions only read.

use super::capture::parameters_for;
use super::runtime::{THREAD_PARAMETERS, parallel, parallel_operand, region_code};
use crate::ir::{Inst, Module, Opcode};
use std::collections::HashSet;

/// Whether a store of an address gives it to the code of parallel regions alone, as an argument, and that only reads what is there.
pub fn is_for_readers(module: Module, store: Inst) -> bool {
    hands_on(module, store, &mut HashSet::new())
}

fn hands_on(module: Module, store: Inst, seen: &mut HashSet<Inst>) -> bool {
    let place = store.operand(1).base_and_offset(module);
    let word = module.size_of(module.pointer_type());
    let number = u64::try_from(place.1).ok().filter(|offset| offset.is_multiple_of(word));
    let (Some(number), Some(arguments)) = (number, place.0.as_alloca()) else { return false };
    let number = (number / word) as usize;
    let (mut work, mut regions) = (vec![arguments.value()], 0);
    while let Some(pointer) = work.pop() {
        for user in pointer.using_instructions() {
            let fine = match user.opcode() {
                Opcode::LLVMGetElementPtr => {
                    work.push(user.value());
                    true
                }
                Opcode::LLVMStore => user.operand(0) != pointer,
                // Regions that were merged have the arguments of both.
                Opcode::LLVMLoad if user.operand(0).base_and_offset(module) == place => {
                    regions += 1;
                    user.using_instructions().into_iter().all(|copy| {
                        copy.stored() == Some(user.value())
                            && (!seen.insert(copy) || hands_on(module, copy, seen))
                    })
                }
                Opcode::LLVMLoad => user.operand(0).base_and_offset(module).0 == place.0,
                Opcode::LLVMCall if parallel(user).is_some() => {
                    regions += 1;
                    user.operand(parallel_operand::ARGUMENTS) == arguments.value()
                        && reads_argument(user, number)
                }
                Opcode::LLVMCall => user.callee_name().starts_with("llvm.lifetime."),
                _ => false,
            };
            if !fine {
                return false;
            }
        }
    }
    regions > 0
}

/// Whether the code of a region, and what it gives the address to, only reads what its argument points to.
fn reads_argument(region: Inst, number: usize) -> bool {
    let parameter =
        region_code(region).and_then(|(code, _)| code.parameters().get(THREAD_PARAMETERS + number).copied());
    let Some(parameter) = parameter else { return false };
    let (mut seen, mut work) = (HashSet::from([parameter]), vec![parameter]);
    while let Some(pointer) = work.pop() {
        for user in pointer.using_instructions() {
            match user.opcode() {
                Opcode::LLVMLoad if !user.is_ordered_access() => {}
                Opcode::LLVMGetElementPtr => work.push(user.value()),
                Opcode::LLVMCall => {
                    let code = user.callee().filter(|code| !code.is_declaration() && !code.is_interposable());
                    let given = code.and_then(|code| parameters_for(user, code, pointer));
                    let Some(given) = given else { return false };
                    work.extend(given.into_iter().filter(|parameter| seen.insert(*parameter)));
                }
                _ => return false,
            }
        }
    }
    true
}
