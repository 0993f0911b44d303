//! Types of values, and the operands of instructions: registers, constants, predicates.

/// Size of a register lane or of a memory element.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Width {
    /// 8 bits: memory elements and conversions only; no register has it.
    W8,
    /// 16 bits.
    W16,
    /// 32 bits.
    W32,
    /// 64 bits.
    W64,
}

impl Width {
    /// The width in bytes: 1, 2, 4 or 8.
    pub const fn bytes(self) -> u32 {
        1 << self as u32
    }
    /// The width in bits.
    pub const fn bits(self) -> u32 {
        8 << self as u32
    }
}

/// An integer type: width and signedness.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Int {
    /// Width.
    pub width: Width,
    /// Two's complement if set.
    pub signed: bool,
}

/// A floating-point type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Float {
    /// IEEE 754 binary16.
    F16,
    /// bfloat16: the upper half of binary32.
    Bf16,
    /// binary32.
    F32,
    /// binary64.
    F64,
}

impl Float {
    /// Size of a value.
    pub const fn width(self) -> Width {
        match self {
            Self::F16 | Self::Bf16 => Width::W16,
            Self::F32 => Width::W32,
            Self::F64 => Width::W64,
        }
    }
}

/// Floating-point types that are converted to and from, and nothing else, and the destinations of stochastic rounding.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Small {
    /// `tf32`: 8 bits of exponent and 10 of fraction, in the upper bits of 32.
    Tf32,
    /// `e4m3`: no infinity, up to 448.
    E4m3,
    /// `e5m2`: up to 57344.
    E5m2,
    /// `e2m1`, 4 bits: no infinity and no NaN, up to 6.
    E2m1,
    /// `e2m3`, 6 bits: the same, up to 7.5.
    E2m3,
    /// `e3m2`, 6 bits: the same, up to 28.
    E3m2,
    /// `ue8m0`: powers of two from 2^-127 to 2^127, without sign; 0xff is NaN.
    Ue8m0,
    /// `f16`, for `.rs` alone.
    Half,
    /// `bf16`, for `.rs` alone.
    Brain,
}

/// A destination register: byte offset in the register file. Its width follows from the operation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Reg(pub u32);

/// A source of 32 lanes: `0..` is a byte offset in the register file, a negative value `v` is the byte offset `!v` in the
/// constant pool of the function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Src(pub i32);

impl Src {
    /// The source that reads a register.
    pub const fn reg(reg: Reg) -> Self {
        Self(reg.0 as i32)
    }
    /// The source that reads the constant pool at a byte offset.
    pub const fn constant(offset: u32) -> Self {
        Self(!(offset as i32))
    }
}

/// A predicate: index in the frame's predicate file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Pred(pub u32);

impl Pred {
    /// Always false; never written.
    pub const FALSE: Self = Self(0);
    /// Always true; never written.
    pub const TRUE: Self = Self(1);
}

/// `@p` or `@!p`: twice the predicate's index, plus one if negated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Guard(pub u32);

impl Guard {
    /// No guard.
    pub const ALWAYS: Self = Self::new(Pred::TRUE, false);

    /// The guard of a predicate.
    pub const fn new(pred: Pred, negated: bool) -> Self {
        Self(pred.0 << 1 | negated as u32)
    }
    /// The predicate.
    pub const fn pred(self) -> Pred {
        Pred(self.0 >> 1)
    }
    /// Lanes that run are those where the predicate is false.
    pub const fn negated(self) -> bool {
        self.0 & 1 != 0
    }
}
