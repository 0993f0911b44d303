//! What accesses to memory are: spaces, orders, scopes, atomic operations (PTX ISA 9.0, 5.1, 8 and 9.7.13.5).

use super::{Float, Int, Width};

/// State space of an access.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Space {
    /// Generic address.
    Generic,
    /// Device memory. `.global.nc` as well.
    Global,
    /// Constant bank: device memory that kernels do not write.
    Const,
    /// Shared memory of the CTA.
    Shared,
    /// Local memory of the thread.
    Local,
    /// Kernel parameters; occurs in `isspacep` and nowhere else.
    Param,
}

/// Memory order of an access or fence.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Order {
    /// Plain.
    Weak,
    /// `.volatile`: relaxed with system scope, and not to be left out.
    Volatile,
    /// `.relaxed`.
    Relaxed,
    /// `.acquire`.
    Acquire,
    /// `.release`.
    Release,
    /// `.acq_rel`.
    AcqRel,
    /// `.sc` (fences and `membar`).
    SeqCst,
}

/// Threads that an order concerns.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Scope {
    /// The CTA.
    Cta,
    /// The cluster.
    Cluster,
    /// The device. Default of atomics.
    Gpu,
    /// Device and host.
    Sys,
}

/// Everything about a load or store but its operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Access {
    /// Space of the address.
    pub space: Space,
    /// Element in memory. Loads extend it to the register, stores take the low bits of the register.
    pub element: Int,
    /// Width of the register lanes; at least that of the element.
    pub register: Width,
    /// Order.
    pub order: Order,
    /// Scope of the order; [`Scope::Sys`] if the form has none.
    pub scope: Scope,
    /// `.nc`: the program promises that nobody writes.
    pub non_coherent: bool,
    /// A plain load of what a compare-and-swap behind it expects: the value counts only if the swap finds it again.
    pub for_cas: bool,
}

/// Read-modify-write operations.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AtomOp {
    /// Integer addition.
    Add(Int),
    /// Minimum.
    Min(Int),
    /// Maximum.
    Max(Int),
    /// `inc`: 0 if the old value is at least the operand, else one more (32 bits).
    Inc,
    /// `dec`: the operand if the old value is 0 or above it, else one less (32 bits).
    Dec,
    /// Bitwise and.
    And(Width),
    /// Bitwise or.
    Or(Width),
    /// Bitwise exclusive or.
    Xor(Width),
    /// Exchange.
    Exchange(Width),
    /// Floating-point addition, to nearest. f32 in global memory flushes subnormals on hardware.
    FloatAdd(Float),
    /// Floating-point minimum.
    FloatMin(Float),
    /// Floating-point maximum.
    FloatMax(Float),
    /// Two numbers of 16 bits each in 32 bits: addition.
    PackedAdd(Float),
    /// The same: minimum.
    PackedMin(Float),
    /// The same: maximum.
    PackedMax(Float),
}

impl AtomOp {
    /// Width of the memory element, of the operand and of the result.
    pub const fn width(self) -> Width {
        match self {
            Self::Add(int) | Self::Min(int) | Self::Max(int) => int.width,
            Self::Inc | Self::Dec | Self::PackedAdd(_) | Self::PackedMin(_) | Self::PackedMax(_) => {
                Width::W32
            }
            Self::And(width) | Self::Or(width) | Self::Xor(width) | Self::Exchange(width) => width,
            Self::FloatAdd(float) | Self::FloatMin(float) | Self::FloatMax(float) => float.width(),
        }
    }
}
