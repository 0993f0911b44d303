//! The OpenMP runtime functions that compilers know: LLVM's `OMPKinds.def` as one table for LLVM 18 to 22.
//!
//! The rows are in [`rows`]; here are their types and the lookups. The number of a function depends on the LLVM
//! version, so every lookup by number takes an [`Llvm`]. LLVM 20 and 21 have the 194 entries whose numbers the rows
//! carry; 18 and 19 have 191 and 22 has 195. Beside the table: [`device`], symbols of the device runtime that no
//! table lists, and [`host`], what `libomptarget.so` exports.

pub mod device;
pub mod fortran;
pub mod host;
pub mod library;
mod rows;

pub use rows::ENTRIES;

/// A release series of LLVM whose table is known.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
#[repr(u8)]
pub enum Llvm {
    /// LLVM 18.
    V18 = 18,
    /// LLVM 19.
    V19 = 19,
    /// LLVM 20.
    V20 = 20,
    /// LLVM 21; the same table as 20.
    V21 = 21,
    /// LLVM 22.
    V22 = 22,
}

impl Llvm {
    /// All of them, oldest first.
    pub const ALL: [Self; 5] = [Self::V18, Self::V19, Self::V20, Self::V21, Self::V22];

    /// The series with this major number, if its table is known.
    pub const fn from_major(major: u32) -> Option<Self> {
        match major {
            18 => Some(Self::V18),
            19 => Some(Self::V19),
            20 => Some(Self::V20),
            21 => Some(Self::V21),
            22 => Some(Self::V22),
            _ => None,
        }
    }

    /// The major number.
    pub const fn major(self) -> u32 {
        self as u32
    }
}

/// A type in a signature, as LLVM IR has it on 64-bit machines: all pointers are one type, `size_t` is `i64`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Type {
    /// No value; only as a return type.
    Void,
    /// `i1`.
    I1,
    /// `i8`.
    I8,
    /// `i16`.
    I16,
    /// `i32`.
    I32,
    /// `i64`.
    I64,
    /// `float`.
    F32,
    /// `double`.
    F64,
    /// `ptr`.
    Ptr,
}

impl Type {
    /// The name in LLVM IR.
    pub const fn ir(self) -> &'static str {
        match self {
            Self::Void => "void",
            Self::I1 => "i1",
            Self::I8 => "i8",
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::F32 => "float",
            Self::F64 => "double",
            Self::Ptr => "ptr",
        }
    }
}

/// A function type.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Signature {
    /// Return type.
    pub ret: Type,
    /// Types of the fixed parameters.
    pub params: &'static [Type],
    /// Whether more arguments may follow. The two entries for which this holds are calls of a microtask.
    pub varargs: bool,
}

impl core::fmt::Display for Signature {
    /// The function type in LLVM IR: `i32 (ptr, i32, ...)`.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{} (", self.ret.ir())?;
        for (i, param) in self.params.iter().enumerate() {
            write!(f, "{}{}", if i == 0 { "" } else { ", " }, param.ir())?;
        }
        let more = match (self.varargs, self.params.is_empty()) {
            (false, _) => "",
            (true, true) => "...",
            (true, false) => ", ...",
        };
        write!(f, "{more})")
    }
}

/// Which of LLVM's libraries defines a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Owner {
    /// The device runtime.
    Device,
    /// The host's `libomp`.
    Libomp,
    /// The host's `libomptarget`.
    Libomptarget,
    /// The device runtime and `libomp`.
    Both,
    /// No library of LLVM's.
    Nobody,
}

/// What a function is for. Every entry is in exactly one category.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum Category {
    /// Thread numbers, sizes and internal control variables.
    Query,
    /// Start of parallel regions on the host, and the clauses pushed before one.
    Parallel,
    /// Barriers, flush, critical, ordered, single.
    Sync,
    /// Cancellation, and the `error` directive.
    CancelError,
    /// Tasks, task loops, task reductions, dependences.
    Tasking,
    /// Loops.
    Worksharing,
    /// `master` and `masked`.
    Masked,
    /// Begin and end of the runtime.
    BeginEnd,
    /// Reductions of the host.
    Reduction,
    /// `teams` on the host.
    Teams,
    /// `copyprivate` and `threadprivate`.
    DataSharing,
    /// `ordered` with dependences between iterations.
    Doacross,
    /// Memory allocators.
    Allocator,
    /// The `interop` directive.
    Interop,
    /// What programs call to launch kernels and to map data.
    Offload,
    /// Kernel start and end, parallel regions and state machine on the device.
    GpuMode,
    /// Shuffles, masks, warp barrier.
    Warp,
    /// Reductions of the device.
    GpuReduction,
    /// Shared memory of a team.
    GpuSharing,
    /// Profiling hooks.
    Profiling,
    /// The end of the table.
    Sentinel,
}

/// One runtime function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Number in the table of LLVM 20 and 21; `None` if it is not there.
    pub index: Option<u16>,
    /// Symbol.
    pub name: &'static str,
    /// Who defines it in LLVM.
    pub owner: Owner,
    /// What it is for.
    pub category: Category,
    /// Whether it makes sense on the host only; a device runtime may define every other entry.
    pub host_only: bool,
    /// First version whose table has it.
    pub since: Llvm,
    /// Last version whose table has it.
    pub until: Llvm,
    /// Signature, up to the version before `changed`.
    first: Signature,
    /// The version that changed the signature, and the new one.
    changed: Option<(Llvm, Signature)>,
}

impl Entry {
    /// Whether the table of `llvm` has this entry.
    pub const fn is_in(&self, llvm: Llvm) -> bool {
        self.since as u8 <= llvm as u8 && llvm as u8 <= self.until as u8
    }

    /// The signature in `llvm`, `None` if its table does not have the entry.
    pub const fn signature(&self, llvm: Llvm) -> Option<Signature> {
        match self.changed {
            _ if !self.is_in(llvm) => None,
            Some((version, signature)) if version as u8 <= llvm as u8 => Some(signature),
            _ => Some(self.first),
        }
    }

    /// The number in the table of `llvm`, `None` if the entry is not there.
    pub const fn index_in(&self, llvm: Llvm) -> Option<usize> {
        let mut index = 0;
        let mut row = 0;
        while row < ENTRIES.len() {
            if ENTRIES[row].is_in(llvm) {
                if equal(ENTRIES[row].name, self.name) {
                    return Some(index);
                }
                index += 1;
            }
            row += 1;
        }
        None
    }
}

/// Entries in the table of `llvm`, the sentinel `__last` included.
pub const fn len(llvm: Llvm) -> usize {
    let mut count = 0;
    let mut row = 0;
    while row < ENTRIES.len() {
        count += ENTRIES[row].is_in(llvm) as usize;
        row += 1;
    }
    count
}

/// The entries of `llvm` in its order: the n-th has number n.
pub fn entries(llvm: Llvm) -> impl Iterator<Item = &'static Entry> {
    ENTRIES.iter().filter(move |entry| entry.is_in(llvm))
}

/// The entry with number `index` in the table of `llvm`.
pub const fn by_index(llvm: Llvm, index: usize) -> Option<&'static Entry> {
    let mut left = index;
    let mut row = 0;
    while row < ENTRIES.len() {
        if ENTRIES[row].is_in(llvm) {
            if left == 0 {
                return Some(&ENTRIES[row]);
            }
            left -= 1;
        }
        row += 1;
    }
    None
}

/// The entry called `name`, whichever version has it.
pub const fn by_name(name: &str) -> Option<&'static Entry> {
    let mut row = 0;
    while row < ENTRIES.len() {
        if equal(ENTRIES[row].name, name) {
            return Some(&ENTRIES[row]);
        }
        row += 1;
    }
    None
}

/// `a == b`, in constants too.
const fn equal(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}

/// The number that a row of the table claims must be the number that its place gives it.
const _: () = {
    let mut next = 0;
    let mut row = 0;
    while row < ENTRIES.len() {
        match ENTRIES[row].index {
            Some(index) => {
                assert!(ENTRIES[row].is_in(Llvm::V20) && ENTRIES[row].is_in(Llvm::V21));
                assert!(index == next);
                next += 1;
            }
            None => assert!(!ENTRIES[row].is_in(Llvm::V20) && !ENTRIES[row].is_in(Llvm::V21)),
        }
        row += 1;
    }
};
