//! Variables without an alignment get the one that LLVM counts on.
//!
//! Where a variable of more than 16 bytes has none, LLVM takes 16 bytes for granted and loads several elements at once; NVPTX's back
//! end writes the alignment of an element into PTX (docs/upstream.md). clang gives each variable one, flang 22 none.

use crate::ir::Module;

/// Gives it to them; whether there were any.
pub fn run(module: Module) -> bool {
    let mut globals = module.globals();
    globals.retain(|global| global.initializer().is_some() && module.alignment(*global) == 0);
    for global in &globals {
        module.set_alignment(*global, module.preferred_alignment(*global));
    }
    !globals.is_empty()
}
