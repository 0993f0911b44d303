//! The linker: gives symbols their addresses.

use crate::code::{FunctionId, Module, function_pointer};

/// What a symbol address refers to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Target {
    /// Byte offset in the module's block of global and constant variables.
    Global(u64),
    /// Address of a function.
    Function(FunctionId),
}

/// A place that holds the address of a symbol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Patch {
    /// Function whose constant pool, or none: the module's image.
    pub function: Option<FunctionId>,
    /// Byte offset in the pool or image.
    pub at: u64,
    /// Bytes written in the image; lane size in the pool.
    pub bytes: u32,
    /// Right shift of the address before its low `bytes` bytes are written (masked initialisers).
    pub shift: u32,
    /// Symbol.
    pub target: Target,
    /// Added to its address.
    pub addend: i64,
}

/// Initial contents of the module's block and the places in it and in constant pools that hold addresses.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Placement {
    /// The block before addresses are known.
    pub(crate) image: Vec<u8>,
    /// Places to write.
    pub(crate) patches: Vec<Patch>,
}

impl Module {
    /// Gives the module's block of global and constant variables the device address `base` (aligned to
    /// [`Module::global_align`]): writes the addresses into the constant pools and returns the initial contents of the
    /// block. May be called again with another address.
    pub fn place(&mut self, base: u64) -> Vec<u8> {
        let mut image = self.placement.image.clone();
        for patch in &self.placement.patches {
            let address = match patch.target {
                Target::Global(offset) => base.wrapping_add(offset),
                Target::Function(id) => function_pointer(id),
            };
            let value = address.wrapping_add_signed(patch.addend) >> patch.shift;
            match patch.function {
                Some(id) => {
                    self.functions[id.0 as usize].constants.splat(patch.at as u32, patch.bytes, value);
                }
                None => {
                    let at = patch.at as usize;
                    let bytes = patch.bytes as usize;
                    image[at..at + bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
                }
            }
        }
        image
    }
}
