//! The instructions of a module, by one number each.

use crate::code::Module;

/// What the checker knows of a module.
#[derive(Default)]
pub struct Code {
    /// Number of each function's first instruction.
    starts: Vec<u32>,
}

impl Code {
    /// Of a module.
    pub fn new(module: &Module) -> Self {
        let mut code = Self::default();
        let mut next = 0;
        for function in &module.functions {
            code.starts.push(next);
            next += function.code.len() as u32;
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
}
