//! Modules and functions: what surrounds the instructions.

use super::{Inst, LANES, Src};
use std::collections::HashMap;

/// Index of a function in [`Module::functions`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FunctionId(pub u32);

/// A function that the device supplies itself.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Extern {
    /// `i32 vprintf(format, buffer)`.
    Vprintf,
    /// `ptr malloc(u64)`.
    Malloc,
    /// `free(ptr)`.
    Free,
    /// `__assertfail(message, file, u32 line, function, u64 char_size)`, the CUDA form.
    AssertFail,
    /// `__assert_fail(message, file, u32 line, function)`, the C library's form.
    AssertFailLibc,
    /// `abort()`.
    Abort,
}

impl Extern {
    /// The function of that name.
    pub fn by_name(name: &str) -> Option<Self> {
        Some(match name {
            "vprintf" => Self::Vprintf,
            "malloc" => Self::Malloc,
            "free" => Self::Free,
            "__assertfail" => Self::AssertFail,
            "__assert_fail" => Self::AssertFailLibc,
            "abort" => Self::Abort,
            _ => return None,
        })
    }
}

/// Where a function's body is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FunctionKind {
    /// A kernel.
    Entry,
    /// A device function with a body.
    Device,
    /// Declared, and supplied by the device. `code` is empty.
    Extern(Extern),
    /// Declared and defined nowhere. `code` is empty; a call of it is an error.
    Undefined,
}

/// A parameter or return value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Param {
    /// Its name in PTX.
    pub name: String,
    /// Byte offset in the parameter area (of an entry: in the parameter block).
    pub offset: u32,
    /// Bytes.
    pub size: u32,
    /// Alignment in bytes.
    pub align: u32,
}

/// Registers of 64 bits in the caller's register file that hold an argument or receive a return value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slot {
    /// Byte offset of the first register.
    pub offset: u32,
    /// Number of registers.
    pub words: u32,
}

/// Whom a call calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CallTarget {
    /// A function of the module (of any [`FunctionKind`]).
    Direct(FunctionId),
    /// Through a function pointer (64 bits).
    Indirect(Src),
}

/// One call: the arguments' registers go to the callee's parameter registers, one after the other from the first on; the
/// callee's return registers come back to `ret`. For a direct call the numbers of registers agree with the callee; for
/// an indirect one they are those of the prototype and must be compared.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CallSite {
    /// Callee.
    pub target: CallTarget,
    /// Arguments.
    pub args: Box<[Slot]>,
    /// Where the return value goes.
    pub ret: Option<Slot>,
    /// `call.uni`: all active lanes call the same function.
    pub uniform: bool,
}

/// A `.local` variable or address-taken parameter in the frame's local memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LocalVariable {
    /// Its name in PTX.
    pub name: String,
    /// Byte offset in the frame's local memory.
    pub offset: u32,
    /// Bytes.
    pub size: u32,
}

/// Source position of the instructions from `first` on, up to the next span.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SourceSpan {
    /// First instruction.
    pub first: u32,
    /// Position by `.loc`.
    pub at: SourceLine,
    /// Where the code was inlined, if it was (`inlined_at`).
    pub inlined_at: Option<SourceLine>,
}

/// A line of a source file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SourceLine {
    /// Key in [`Module::files`].
    pub file: u32,
    /// Line, from 1; 0: unknown.
    pub line: u32,
    /// Column, from 1; 0: unknown.
    pub column: u32,
}

/// One chunk of a [`ConstantPool`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
pub struct Chunk(pub [u8; 64]);

/// Immediates of a function, each 32 equal lanes of 2, 4 or 8 bytes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ConstantPool {
    /// The bytes; [`Src`] holds offsets in them.
    pub chunks: Vec<Chunk>,
}

impl ConstantPool {
    /// Writes `bits` to the 32 lanes of `bytes` (2, 4 or 8) bytes at byte `offset`.
    pub fn splat(&mut self, offset: u32, bytes: u32, bits: u64) {
        let lane = &bits.to_le_bytes()[..bytes as usize];
        let first = offset as usize / 64;
        for chunk in &mut self.chunks[first..first + LANES * bytes as usize / 64] {
            chunk.0.chunks_exact_mut(lane.len()).for_each(|to| to.copy_from_slice(lane));
        }
    }
}

/// A decoded function.
#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    /// Name in PTX.
    pub name: String,
    /// Kernel, device function, or no body here.
    pub kind: FunctionKind,
    /// PTX line of its definition, or else of its declaration.
    pub line: u32,
    /// Instructions. The last one never falls through.
    pub code: Vec<Inst>,
    /// PTX line of each instruction.
    pub lines: Vec<u32>,
    /// Immediates and symbol addresses.
    pub constants: ConstantPool,
    /// Parameters.
    pub params: Vec<Param>,
    /// Bytes of the parameter area (of an entry: of the parameter block).
    pub param_bytes: u32,
    /// 64-bit registers at the start of the register file that hold the parameters: `param_bytes` rounded up to 8, by 8.
    pub param_words: u32,
    /// Return value; its offset counts from the first return register.
    pub ret: Option<Param>,
    /// 64-bit registers after the parameters that hold the return value.
    pub return_words: u32,
    /// Bytes of the register file: a multiple of 64.
    pub register_bytes: u32,
    /// Predicates, with the constants 0 and 1.
    pub predicates: u32,
    /// Bytes of local memory of one lane.
    pub local_bytes: u32,
    /// Alignment of the local memory.
    pub local_align: u32,
    /// What the local memory holds, by offset.
    pub locals: Vec<LocalVariable>,
    /// Registers of 32 bits that the PTX declares (predicates not counted).
    pub declared_registers: u32,
    /// Targets of `brx.idx`.
    pub tables: Vec<Box<[u32]>>,
    /// Calls.
    pub calls: Vec<CallSite>,
    /// Source positions, by `first`; empty without `.loc`.
    pub source: Vec<SourceSpan>,
    /// `.maxntid`, or `.reqntid`.
    pub max_threads: Option<[u32; 3]>,
    /// `.reqntid`: the block must have exactly this shape.
    pub required_threads: Option<[u32; 3]>,
    /// Of an entry: bytes of static shared memory that it and all that it can call use (for attributes and limits; the
    /// CTA gets [`Module::shared_bytes`]).
    pub shared_bytes: u32,
    /// Of an entry: indices in [`Module::undefined`] of what it and all that it can call need and nobody defines. With a
    /// non-empty list it must not be launched ([`Module::undefined_report`]).
    pub undefined: Vec<u32>,
}

impl Function {
    /// Source position of an instruction.
    pub fn source_at(&self, pc: u32) -> Option<&SourceSpan> {
        let after = self.source.partition_point(|span| span.first <= pc);
        self.source[..after].last()
    }
}

/// A variable in global or constant memory, or in shared memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// Name in PTX.
    pub name: String,
    /// Byte offset: global and const in the module's block, shared in the CTA's shared memory.
    pub offset: u64,
    /// Bytes.
    pub size: u64,
    /// Declared `.const`.
    pub constant: bool,
    /// Visible to other modules and to the host by name.
    pub visible: bool,
}

/// A symbol that is used and nowhere defined.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Undefined {
    /// Its name.
    pub name: String,
    /// PTX line of its first use, or of its declaration.
    pub line: u32,
}

/// A decoded and linked module.
///
/// Global and constant variables form one block of `global_bytes`; [`Module::place`] gives it an address.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Module {
    /// `.version`, major and minor.
    pub version: (u32, u32),
    /// Number of `.target sm_NN`.
    pub target: u32,
    /// Suffix of the target (`a` or `f`), if any.
    pub target_suffix: Option<char>,
    /// All functions, in order of first appearance.
    pub functions: Vec<Function>,
    /// Functions by name, aliases included.
    pub function_names: HashMap<String, FunctionId>,
    /// Global and constant variables.
    pub variables: Vec<Variable>,
    /// Indices in `variables` by name.
    pub variable_names: HashMap<String, usize>,
    /// Bytes of the block of global and constant variables.
    pub global_bytes: u64,
    /// Alignment of that block; at least 16, a power of two.
    pub global_align: u64,
    /// Bytes of constant variables.
    pub const_bytes: u64,
    /// Static shared variables, by offset.
    pub shared: Vec<Variable>,
    /// Bytes of static shared memory; dynamic shared memory (`.extern .shared`) starts here (already aligned as its
    /// declarations ask).
    pub shared_bytes: u32,
    /// Names of `.file` by number.
    pub files: HashMap<u32, String>,
    /// What is used and nowhere defined.
    pub undefined: Vec<Undefined>,
    /// Initial contents and relocations of the block; filled by the linker, used by [`Module::place`].
    pub(crate) placement: crate::ptx::Placement,
}
