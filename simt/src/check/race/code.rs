//! The instructions of a module, by one number each.

use crate::code::{Inst, Module, Op};

/// What the checker knows of a module.
#[derive(Default)]
pub struct Code {
    /// Number of each function's first instruction.
    starts: Vec<u32>,
    /// Plain loads in front of a compare-and-swap.
    before_cas: Vec<bool>,
}

impl Code {
    /// Of a module.
    pub fn new(module: &Module) -> Self {
        let mut code = Self::default();
        for function in &module.functions {
            code.starts.push(code.before_cas.len() as u32);
            code.before_cas.extend((0..function.code.len()).map(|pc| loads_for_cas(&function.code, pc)));
        }
        code
    }

    /// Number of an instruction.
    #[inline(always)]
    pub fn place(&self, function: u32, pc: u32) -> u32 {
        self.starts[function as usize] + pc
    }

    /// Function and instruction of a number.
    pub fn instruction(&self, place: u32) -> (u32, u32) {
        let function = self.starts.partition_point(|&start| start <= place) - 1;
        (function as u32, place - self.starts[function])
    }

    /// Whether an instruction is a plain load in front of a compare-and-swap.
    #[inline(always)]
    pub fn is_before_cas(&self, place: u32) -> bool {
        self.before_cas[place as usize]
    }
}

/// Instructions between a load and its compare-and-swap at most.
const CAS_DISTANCE: usize = 40;

/// Whether the instruction is a plain load of what a compare-and-swap behind it expects. Compilers write atomic
/// operations that PTX does not have as a loop like that; the value counts only if the swap finds it again.
pub fn loads_for_cas(code: &[Inst], pc: usize) -> bool {
    let Op::Load { access, address, offset, .. } = code[pc].op else { return false };
    let place = (access.element.width, address, offset);
    code[pc + 1..].iter().take(CAS_DISTANCE).any(|inst| match inst.op {
        Op::Cas { width, address, offset, .. } => (width, address, offset) == place,
        _ => false,
    })
}
