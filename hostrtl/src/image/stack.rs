//! Whether the stack that the kernels of an image need is known.
//!
//! ptxas adds up the frames of the functions that a kernel calls, and the driver gives each thread as much. Where a function
//! may call itself, or is called through a pointer, there is no sum: such kernels get what the limit `CU_LIMIT_STACK_SIZE`
//! says, 1 KiB unless somebody sets it, and write over other threads' memory if they need more.

use super::ImageKind;
use super::ptx;
use object::LittleEndian;
use object::elf::{FileHeader64, STT_FUNC};
use object::read::elf::{FileHeader as _, Sym as _};

/// Bit of a symbol's `st_other` in a cubin: a kernel.
const STO_CUDA_ENTRY: u8 = 0x10;
/// What the functions that ptxas adds itself have in their names: they call nothing.
const OF_PTXAS: &str = "__internal_";

/// Whether it is known of all kernels of `image`, which is of this `kind` or what that is compiled to. Of machine code with
/// functions that are no kernels it is not: their calls are not looked at.
pub fn is_known(image: &[u8], kind: &ImageKind) -> bool {
    match kind {
        ImageKind::Ptx { .. } | ImageKind::Bitcode { .. } => of_ptx(&String::from_utf8_lossy(image)),
        ImageKind::Cubin { .. } => of_cubin(image).unwrap_or(false),
        _ => false,
    }
}

/// Whether no call of the module is one through a pointer, and no function can come to call itself.
fn of_ptx(text: &str) -> bool {
    let calls = ptx::Calls::of(text);
    !calls.any_through_pointer && !calls.any_recursion()
}

/// Whether a cubin has kernels alone; none if it cannot be read.
fn of_cubin(image: &[u8]) -> Option<bool> {
    let header = FileHeader64::<LittleEndian>::parse(image).ok()?;
    let sections = header.sections(LittleEndian, image).ok()?;
    let symbols = sections.symbols(LittleEndian, image, object::elf::SHT_SYMTAB).ok()?;
    let is_other = |symbol: &object::elf::Sym64<LittleEndian>| {
        let name = symbol.name(LittleEndian, symbols.strings()).unwrap_or_default();
        symbol.st_type() == STT_FUNC
            && !symbol.is_undefined(LittleEndian)
            && symbol.st_other() & STO_CUDA_ENTRY == 0
            && !String::from_utf8_lossy(name).contains(OF_PTXAS)
    };
    Some(!symbols.iter().any(is_other))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(functions: &str) -> bool {
        of_ptx(&format!(".version 7.8\n.target sm_90\n.address_size 64\n\n{functions}"))
    }

    #[test]
    fn sums_of_frames_are_known() {
        assert!(known(".weak .entry k(\n\t.param .u64 p\n)\n{\n\tret;\n}\n"));
        assert!(known(
            ".extern .func  (.param .b64 func_retval0) malloc\n(\n\t.param .b64 malloc_param_0\n)\n;\n\
             .func  (.param .b32 func_retval0) leaf()\n{\n\tcall.uni (retval0), malloc, (param0);\n}\n\
             .func inner(\n)\n{\n\t{ // callseq 3, 0\n\tcall.uni (retval0), \n\tleaf, ();\n\t} // callseq 3\n}\n\
             .visible .entry k()\n{\n\t@%p1 call inner;\n\tcall leaf, ();\n}\n"
        ));
    }

    #[test]
    fn calls_of_oneself_and_through_pointers_are_not() {
        assert!(!known(".func f()\n{\n\tcall.uni f, ();\n}\n.entry k()\n{\n\tcall.uni f, ();\n}\n"));
        assert!(!known(
            ".func g\n()\n;\n.func f()\n{\n\tcall.uni (r), g, ();\n}\n.func g()\n{\n\tcall.uni f, ();\n}\n"
        ));
        assert!(!known(
            ".entry k()\n{\n\tprototype_4 : .callprototype ()_ ();\n\tcall %rd5, (param0), prototype_4;\n}\n"
        ));
        assert!(!known(".entry k()\n{\n\t@%p1 call (retval0), %rd5, (), prototype_4;\n}\n"));
    }

    #[test]
    fn names_that_begin_like_calls_are_none() {
        assert!(known(".entry k()\n{\n\tcall_me:\n\t// callseq 1\n\tbra call_me;\n}\n"));
    }

    #[test]
    fn what_cannot_be_read_is_not_known() {
        assert!(!is_known(b"\x7fELF", &ImageKind::Cubin { arch: crate::image::Capability::from_sm(90) }));
        assert!(!is_known(b"", &ImageKind::Fatbin(Vec::new())));
        assert!(is_known(b"", &ImageKind::Bitcode { target: "nvptx64".into() }));
    }
}
